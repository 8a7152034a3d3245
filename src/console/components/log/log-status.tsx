import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { StreamState } from '../../api/follow.ts'
import { Button } from '../button.tsx'
import { State } from '../state.tsx'

/** Line that says whether new log lines appear, and if not, why. */
export function LogStatus({ children }: { children: ComponentChildren }) {
  return <div class="log-status">{children}</div>
}

const STATES: Record<StreamState, [state: string, title: string]> = {
  connecting: ['connecting', 'The log is loading.'],
  open: ['live', 'New lines appear as they are written.'],
  lost: ['reconnecting', 'The connection was lost. New lines appear when it is back.'],
}

interface StreamStatusProps {
  state: StreamState
  isPaused: Signal<boolean>
}

/** State of a followed log, and a button that pauses it. */
export function StreamStatus({ state, isPaused }: StreamStatusProps) {
  const [value, title] = isPaused.value ? ['paused', 'New lines appear when you continue.'] : STATES[state]
  return (
    <LogStatus>
      <span role="status">
        <State value={value!} title={title!} />
      </span>
      <Button
        kind="quiet"
        icon={isPaused.value ? 'start' : 'pause'}
        onClick={() => (isPaused.value = !isPaused.peek())}
      >
        {isPaused.value ? 'Continue' : 'Pause'}
      </Button>
    </LogStatus>
  )
}
