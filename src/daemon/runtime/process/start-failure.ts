import { HostingError } from '../../../shared/errors.ts'
import { CRASH_LOOP } from '../../../shared/instances/crash-history.ts'
import { RefusedArtifactError } from './host-ending.ts'

/** True when another attempt would not help, because the artifact is missing, damaged or refused. */
export function isFinalFailure(error: Error): boolean {
  return error instanceof RefusedArtifactError || error instanceof HostingError
}

/** Why a server does not run, with its last log lines in `details`. */
export function describeStartFailure(
  serverName: string,
  error: Error,
  { isLoop, output }: { isLoop: boolean; output: string[] },
): HostingError {
  if (error instanceof HostingError) return error
  const { failures, windowMs } = CRASH_LOOP
  const reason = isLoop
    ? `failed ${failures} times within ${windowMs / 1000} s; the last time its process ${error.message}`
    : `did not start: ${error.message}`
  return new HostingError('UNAVAILABLE', `Server "${serverName}" ${reason}.`, {
    ...(output.length > 0 ? { details: output.join('\n') } : {}),
    cause: error,
  })
}
