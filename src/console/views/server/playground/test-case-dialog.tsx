import { useSignal } from '@preact/signals'
import { bound } from '../../../components/bound.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { notify } from '../../../components/notices.tsx'
import { shown } from '../../../components/text.tsx'
import { navigate } from '../../../router/router.ts'
import { serverPath } from '../../paths.ts'
import { targetOf } from '../tests/rerun.ts'
import { startSuite, suiteSessions } from '../tests/suite-session.ts'
import { type CallInput, testCaseFor, testCaseText } from './call-text.ts'
import type { Place } from './place.ts'

interface TestCaseProps {
  call: CallInput
  /** Name of the tool, resource or prompt. */
  name: string
  place: Place
  onClose(): void
}

/** Turns a call into a case of a test suite, to copy into a suite of the project or to run on its own. */
export function TestCaseDialog({ call, name, place, onClose }: TestCaseProps) {
  const message = useSignal('')
  const one = testCaseFor(call, message.value)
  const text = testCaseText(one)
  const target = targetOf(place)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    notify('Copied the test case. Paste it below “cases:” of a test suite.')
  }
  const run = () => {
    startSuite({
      suite: { name: call.entry.id, cases: [one] },
      target: target!,
      environment: place.environment,
    })
    onClose()
    navigate(serverPath(place.name, '/tests', place.environment))
  }
  return (
    <Dialog title={`Test case for ${shown(name, 100)}`} confirm="Copy" onConfirm={copy} onClose={onClose}>
      <label class="field">
        What would a user ask to make a model call this?
        <textarea class="input pg-text" rows={2} required dir="auto" {...bound(message)} />
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it. */}
      <pre class="sf-text" tabIndex={0}>
        {text}
      </pre>
      <p class="muted">
        Paste it below <code>cases:</code> of a suite, and run <code>mcp test --suite tests.yaml</code>.
      </p>
      {target && (
        <div>
          <Button
            icon="start"
            disabled={message.value.trim() === ''}
            busy={suiteSessions.value.has(place.name)}
            onClick={run}
          >
            Run it now
          </Button>
        </div>
      )}
    </Dialog>
  )
}
