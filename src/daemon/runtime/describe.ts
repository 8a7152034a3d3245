import type { Described } from '../../shared/artifact.ts'
import { HostingError } from '../../shared/errors.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import type { ServedCode } from './host.ts'
import { HostEndedError, RefusedArtifactError } from './host-ending.ts'
import { shownLines } from './host-logs.ts'
import type { Place } from './placement.ts'

export interface DescribeLimits {
  timeoutMs: number
  /** Ends the process before it has told anything. */
  stopped?: AbortSignal | undefined
}

/**
 * Has the process load a custom server and tell what it defines, then ends it, whatever came of it: it ran user code.
 * See `Supervisor.describe` for what is thrown.
 */
export async function describeIn(
  place: Place,
  { tenant, ...code }: ServedCode & { tenant: Tenant },
  { timeoutMs, stopped }: DescribeLimits,
): Promise<Described> {
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
    throw isLate ? tooSlow(timeoutMs) : toBuildError(error, shownLines(host.logPath))
  } finally {
    clearTimeout(timer)
    stopped?.removeEventListener('abort', stop)
    void place.leave()
  }
}

function tooSlow(timeoutMs: number): HostingError {
  return new HostingError('TIMEOUT', `The server did not load within ${timeoutMs / 1000} s.`, {
    details:
      'What runs when a module is imported must end by itself; work that takes long belongs into a handler.',
  })
}

function toBuildError(error: unknown, output: string[]): unknown {
  if (error instanceof RefusedArtifactError)
    return new HostingError('INVALID_MCP', `The server cannot be loaded: ${error.message}`, { cause: error })
  if (!(error instanceof HostEndedError)) return error
  if (error.ending.asked)
    return new HostingError('INTERRUPTED', 'The daemon was stopped before the server had loaded.')
  return new HostingError('INVALID_MCP', `The server's process ${error.message} while it was loaded.`, {
    details: output.join('\n') || undefined,
    cause: error,
  })
}
