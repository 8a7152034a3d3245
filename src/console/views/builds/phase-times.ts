import type { ContainerBuildRecord } from '../../../shared/contract/builds/container-builds.ts'
import { BUILD_PHASES, type BuildPhase } from '../../../shared/contract/states.ts'

/** `not reached`: the build ended before this phase. */
export type PhaseState = 'done' | 'running' | 'failed' | 'stopped' | 'waiting' | 'not reached'

export interface PhaseTime {
  phase: BuildPhase
  state: PhaseState
  /** Empty for a phase that has not started. */
  from: string
  /** Empty for a phase that has not ended. */
  to: string
}

/** State of the last phase that a build has entered, by build status. */
const LAST_STATES = {
  pending: 'running',
  in_progress: 'running',
  succeeded: 'done',
  failed: 'failed',
  stopped: 'stopped',
} as const

/** Phases of a build. `starts`: the time of each phase's first line in the log. A build without a push has no push phase. */
export function phaseTimes(build: ContainerBuildRecord, starts: ReadonlyMap<string, string>): PhaseTime[] {
  const { status, createdAt, startTime, endTime } = build
  const startOf = (phase: BuildPhase): string => {
    if (phase === 'QUEUED') return createdAt
    return phase === 'DOWNLOAD_SOURCE' ? startTime : (starts.get(phase) ?? '')
  }
  const phases = BUILD_PHASES.slice(0, -1).map(phase => ({ phase, from: startOf(phase) }))
  const last = phases.findLastIndex(({ from }) => from !== '')
  const times = phases.map(({ phase, from }, index): PhaseTime => {
    if (index > last) return { phase, from, to: '', state: endTime === '' ? 'waiting' : 'not reached' }
    const isLast = index === last
    return {
      phase,
      from,
      to: isLast ? endTime : phases[index + 1]!.from,
      state: isLast ? LAST_STATES[status] : 'done',
    }
  })
  return status === 'succeeded' ? times.filter(({ state }) => state === 'done') : times
}
