import { Duration } from '../../components/time.tsx'
import { phaseText } from './container-build-text.tsx'
import type { PhaseState, PhaseTime } from './phase-times.ts'

const TONES: Record<PhaseState, string> = {
  done: 'ok',
  running: 'busy',
  failed: 'failed',
  stopped: 'warn',
  waiting: 'off',
  'not reached': 'off',
}

/** Phases of a container build with their durations, in order. */
export function Phases({ times }: { times: readonly PhaseTime[] }) {
  return (
    <ol class="phases" aria-label="Phases">
      {times.map(({ phase, state, from, to }) => (
        <li key={phase} class={from === '' ? 'muted' : undefined}>
          <span class={`state ${TONES[state]}`}>{phaseText(phase)}</span>
          <span class="muted">
            {from === '' ? state : <Duration from={from} to={to} />}
            {from !== '' && <span class="hidden">, {state}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
