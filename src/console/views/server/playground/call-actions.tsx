import { useSignal } from '@preact/signals'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy.tsx'
import type { Call } from './call.ts'
import { commandFor } from './call-text.ts'
import type { Place } from './place.ts'
import { TestCaseDialog } from './test-case-dialog.tsx'

interface ActionsProps {
  call: Call
  place: Place
  /** The whole result is shown as JSON. */
  isRaw: boolean
  onToggleRaw(): void
  /** Puts the arguments into the form. Undefined if there is no form or the form already has them. */
  onReuse: (() => void) | undefined
}

/** Actions for a call that has ended. */
export function CallActions({ call, place, isRaw, onToggleRaw, onReuse }: ActionsProps) {
  const isSaving = useSignal(false)
  const outcome = call.outcome.value
  return (
    <div class="pg-actions">
      {onReuse && (
        <Button kind="quiet" icon="restart" onClick={onReuse}>
          Use these arguments
        </Button>
      )}
      <CopyButton text={commandFor(call, place)} what="the command" caption="Command" />
      <Button
        kind="quiet"
        icon="check"
        onClick={() => {
          isSaving.value = true
        }}
      >
        Test case…
      </Button>
      {outcome.status === 'answered' && (
        <span class="pg-pair">
          <CopyButton
            text={JSON.stringify(outcome.result, null, 2)}
            what="the result as JSON"
            caption="Result"
          />
          <Button kind="quiet" aria-pressed={isRaw} onClick={onToggleRaw}>
            JSON
          </Button>
        </span>
      )}
      {isSaving.value && (
        <TestCaseDialog
          name={call.entry.name}
          call={call}
          place={place}
          onClose={() => {
            isSaving.value = false
          }}
        />
      )}
    </div>
  )
}
