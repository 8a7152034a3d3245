import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { proofOf } from '../../shared/daemon-proof.ts'
import { HostingError } from '../../shared/errors.ts'
import type { Discovery, HomePaths } from '../../shared/paths.ts'
import { createApiClient } from '../api/client.ts'

const HEALTH_TIMEOUT_MS = 5000
const POLL_MS = 5
/** Time for a running daemon to rewrite a damaged discovery file. */
const REWRITE_MS = 2000

/**
 * The daemon named by the discovery file, if it proves that it knows the file's nonce. A pid or a port alone proves nothing
 * because both are reused.
 */
export async function findDaemon(paths: HomePaths): Promise<Discovery | undefined> {
  const discovery = readDiscovery(paths) ?? (await waitForRewrite(paths))
  if (!discovery || (await provesNonce(discovery))) return discovery
  // Another daemon, with another nonce, may just have taken over.
  const next = readDiscovery(paths)
  return next && next.nonce !== discovery.nonce && (await provesNonce(next)) ? next : undefined
}

async function provesNonce(discovery: Discovery): Promise<boolean> {
  const client = createApiClient({ url: discovery.url, apiKey: undefined, timeoutMs: HEALTH_TIMEOUT_MS })
  try {
    const { challenge, answer } = proofOf(discovery.nonce)
    const health = await client.get<{ proof?: string } | undefined>('/health', { challenge })
    return health?.proof === answer
  } catch (error) {
    if (error instanceof HostingError && error.code === 'TIMEOUT') throw timeoutError(discovery, error)
    return false
  } finally {
    client.close()
  }
}

/** Content of the discovery file. A damaged file counts as missing. */
export function readDiscovery(paths: HomePaths): Discovery | undefined {
  try {
    const value = JSON.parse(readFileSync(paths.discovery, 'utf8')) as Partial<Discovery> | null
    return isDiscovery(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new HostingError('INVALID_REQUEST', `Could not read ${paths.discovery} (${code}).`, {
      cause: error,
    })
  }
}

/** Discovery file of a running daemon, after the daemon has rewritten the damaged file. */
async function waitForRewrite(paths: HomePaths): Promise<Discovery | undefined> {
  if (!existsSync(paths.discovery) || !(await requestRewrite(paths))) return undefined
  const deadline = performance.now() + REWRITE_MS
  while (performance.now() < deadline) {
    const discovery = readDiscovery(paths)
    if (discovery) return discovery
    await sleep(POLL_MS)
  }
  return undefined
}

/** Asks the daemon that holds the home's lock to rewrite its discovery file. Returns false when no daemon holds the lock. */
export async function requestRewrite(paths: HomePaths): Promise<boolean> {
  const [{ findHolder, isDaemon }, { sendSignal }] = await Promise.all([
    import('./home-holder.ts'),
    import('./process.ts'),
  ])
  const holder = findHolder(paths)
  if (!holder || !isDaemon(holder)) return false
  sendSignal(holder.pid, 'SIGHUP')
  return true
}

function isDiscovery(value: Partial<Discovery> | null): value is Discovery {
  return typeof value?.nonce === 'string' && /^https?:$/.test(URL.parse(String(value.url))?.protocol ?? '')
}

function timeoutError(discovery: Discovery, cause: HostingError): HostingError {
  return new HostingError(
    'TIMEOUT',
    `The daemon at ${discovery.url} (pid ${discovery.pid}) does not respond.`,
    {
      cause,
      next: [
        { description: 'Show its log', command: 'mcp daemon logs' },
        { description: 'Restart it', command: 'mcp daemon restart' },
      ],
    },
  )
}
