import type { DescribedServer } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { lastLogLines } from '../logs/host-logs.ts'
import type { Place } from '../placement/placement.ts'
import type { ServedCode } from './host.ts'
import { HostEndedError, RefusedArtifactError } from './host-ending.ts'

export interface DescribeLimits {
  timeoutMs: number
  /** Aborting kills the process. */
  stopped?: AbortSignal | undefined
}

/**
 * Loads a custom server in the process and returns what it defines. Then stops the process, because it ran user code.
 * See `Supervisor.describe` for the errors.
 */
export async function describeIn(
  place: Place,
  { tenant, ...code }: ServedCode & { tenant: Tenant },
  { timeoutMs, stopped }: DescribeLimits,
): Promise<DescribedServer> {
  const { host } = place
  let isLate = false
  const stop = () => host.kill()
  stopped?.addEventListener('abort', stop)
  const timer = setTimeout(() => {
    isLate = true
    host.kill()
  }, timeoutMs)
  try {
    stopped?.throwIfAborted()
    return await host.describe(place.describe(tenant), code)
  } catch (error) {
    if (stopped?.aborted)
      throw new HostingError('INTERRUPTED', 'The build was stopped before the server had loaded.')
    throw isLate ? tooSlow(timeoutMs) : toBuildError(error, lastLogLines(host.logPath))
  } finally {
    clearTimeout(timer)
    stopped?.removeEventListener('abort', stop)
    void place.leave()
  }
}

function tooSlow(timeoutMs: number): HostingError {
  return new HostingError('TIMEOUT', `The server did not load within ${timeoutMs / 1000} s.`, {
    details: 'Code that runs when a module is imported must finish. Move long-running work into a handler.',
  })
}

function toBuildError(error: unknown, output: string[]): unknown {
  if (error instanceof RefusedArtifactError)
    return new HostingError('INVALID_MCP', `The server cannot be loaded: ${error.message}`, { cause: error })
  if (!(error instanceof HostEndedError)) return error
  if (error.ending.requested)
    return new HostingError('INTERRUPTED', 'The daemon was stopped before the server had loaded.')
  return new HostingError('INVALID_MCP', `The server's process ${error.message} while it was loading.`, {
    details: output.join('\n') || undefined,
    cause: error,
  })
}
