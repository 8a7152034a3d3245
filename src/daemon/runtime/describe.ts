import type { Described } from '../../shared/artifact.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ServedCode } from './host.ts'
import { HostEndedError, RefusedArtifactError } from './host-ending.ts'
import { shownLines } from './host-logs.ts'
import type { Place } from './placement.ts'

/**
 * Has the process load a custom server and tell what it defines, then ends it, whatever came of it: it ran user code.
 * See `Supervisor.describe` for what is thrown.
 */
export async function describeIn(place: Place, code: ServedCode, timeoutMs: number): Promise<Described> {
  const { host, tenant } = place
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    host.kill()
  }, timeoutMs)
  try {
    return await host.describe(tenant, code)
  } catch (error) {
    throw isLate ? tooSlow(timeoutMs) : toBuildError(error, shownLines(host.logPath))
  } finally {
    clearTimeout(timer)
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
