/** How a host process ended. */
export interface HostEnding {
  /** The daemon ended it, so it is no crash. */
  asked: boolean
  code: number | null
  signal: NodeJS.Signals | null
  /** It could not even be started. */
  error?: Error
  /** What made the daemon end it, or what else is known of its end: the rest of a sentence about the process. */
  reason?: string | undefined
}

/** The process ended, or never started, before it could answer. */
export class HostEndedError extends Error {
  override readonly name = 'HostEndedError'
  readonly ending: HostEnding
  constructor(ending: HostEnding) {
    super(describeEnding(ending))
    this.ending = ending
  }
}

/** The instance itself said why it cannot serve: trying again with the same artifact helps nothing. */
export class RefusedArtifactError extends Error {
  override readonly name = 'RefusedArtifactError'
  /** Where in the user's code, as a stack trace. */
  readonly trace: string | undefined
  constructor(message: string, trace?: string) {
    super(message)
    this.trace = trace
  }
}

/** For example `crashed with exit code 1`, `was killed by SIGKILL`, `could not be started: spawn EAGAIN`. */
function describeEnding({ asked, code, signal, error, reason }: HostEnding): string {
  if (error) return `could not be started: ${error.message}`
  if (reason) return reason
  if (asked) return 'was stopped'
  if (signal) return `was killed by ${signal}`
  return code === 0 ? 'ended by itself' : `crashed with exit code ${code}`
}
