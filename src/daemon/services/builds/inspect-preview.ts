import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Inspector } from '../../../shared/contract/builds/inspector.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Previews } from './previews.ts'

const MAX_ATTEMPTS = 100
const MAX_PORT_ATTEMPTS = 40
const PAUSE_MS = 50

/**
 * Runs the preview of a build with a debugger until the signal aborts, so that no debugger outlives its client's connection.
 * Throws CONFLICT when the port is in use, or the preview has another debugger or serves another build. Throws INVALID_REQUEST
 * if the build has no handler modules or Node cannot debug them, and UNAVAILABLE if the debugger does not start.
 */
export async function inspectPreview(
  previews: Previews,
  build: Build,
  { port, signal }: { port: number; signal: AbortSignal },
): Promise<AsyncIterable<Inspector>> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  if (signal.aborted) end()
  signal.addEventListener('abort', () => end(), { once: true })
  try {
    await previews.startInspected(build, () => findPort(requireSupport(port)), ended)
    return untilEnded({ url: await findUrl(previews, build) }, ended)
  } catch (error) {
    end() // The signal does not abort when the client receives the error.
    throw error
  }
}

async function* untilEnded(inspector: Inspector, ended: Promise<void>): AsyncGenerator<Inspector> {
  yield inspector
  await ended
}

/** URL of the debugger. Null if there is none. */
export async function inspectorUrl(port: number | undefined): Promise<string | null> {
  if (port === undefined) return null
  try {
    const signal = AbortSignal.timeout(1000)
    const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`, { signal })).json()
    return (targets as { webSocketDebuggerUrl?: string }[])[0]?.webSocketDebuggerUrl ?? null
  } catch {
    return null // The debugger has not started yet, or has stopped.
  }
}

async function findUrl(previews: Previews, { id, name }: Build): Promise<string> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const url = await inspectorUrl(previews.inspectedPort(id))
    if (url !== null) return url
    await sleep(PAUSE_MS)
  }
  throw new HostingError('UNAVAILABLE', `The debugger of "${name}" did not start.`, {
    next: [{ description: 'Read its log', command: `mcp logs ${id}` }],
  })
}

/** Throws if Node has no flag that allows the inspector under the permission model. */
function requireSupport(port: number): number {
  if (process.allowedNodeEnvironmentFlags.has('--allow-inspector')) return port
  throw new HostingError('INVALID_REQUEST', `Node ${process.version} cannot debug isolated handlers.`, {
    details: 'Run the daemon with Node 26.',
  })
}

/** `port`, or a free port for 0. Retries, because the process of the previous build may still hold the port. Throws CONFLICT. */
async function findPort(port: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await bindOnce(port)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && tries < MAX_PORT_ATTEMPTS) await sleep(PAUSE_MS)
      else
        throw new HostingError('CONFLICT', `Port ${port} for the debugger cannot be used (${code}).`, {
          details: 'Stop the program that uses it, or choose another with --inspect-port.',
          cause,
        })
    }
  }
}

function bindOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const found = (server.address() as { port: number }).port
      server.close(() => resolve(found))
    })
  })
}
