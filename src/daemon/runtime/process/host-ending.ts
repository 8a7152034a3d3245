export interface HostEnding {
  /** True when the daemon stopped the process, so its exit is not a crash. */
  requested: boolean
  code: number | null
  signal: NodeJS.Signals | null
  /** Set when the process could not even be started. */
  error?: Error
  /** Why the daemon killed the process, or why the process crashed, in words that complete a sentence about the process. */
  reason?: string | undefined
}

/** The process exited, was killed or could not be started. */
export class HostEndedError extends Error {
  override readonly name = 'HostEndedError'
  readonly ending: HostEnding
  constructor(ending: HostEnding) {
    super(describeEnding(ending))
    this.ending = ending
  }
}

/** The instance reported why it cannot serve. Another attempt with the same artifact would not help. */
export class RefusedArtifactError extends Error {
  override readonly name = 'RefusedArtifactError'
  /** Stack trace in the user's code. */
  readonly trace: string | undefined
  constructor(message: string, trace?: string) {
    super(message)
    this.trace = trace
  }
}

/** For example `crashed with exit code 1`, `was killed by SIGKILL`, `could not be started: spawn EAGAIN`. */
function describeEnding({ requested, code, signal, error, reason }: HostEnding): string {
  if (error) return `could not be started: ${error.message}`
  if (reason) return reason
  if (requested) return 'was stopped'
  if (signal) return `was killed by ${signal}`
  return code === 0 ? 'exited by itself' : `crashed with exit code ${code}`
}
