import { createHash, randomBytes } from 'node:crypto'
import type { ConsoleLink } from '../../../shared/contract/access/console-sessions.ts'
import { HostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import { CONSOLE_HOST } from '../../../shared/names.ts'
import type { ConsoleSession } from '../../store/tables/console-sessions.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { Principal } from './api-keys.ts'
import { Lifetimes } from './lifetimes.ts'

const LINK_MS = 60_000
const SESSION_MS = 12 * 3_600_000
/** Maximum number of unused links. One more invalidates the oldest. */
const MAX_LINKS = 1000

export type { ConsoleSession }

type Dependencies = Pick<ServiceDependencies, 'audit' | 'clock' | 'store'>

/** Browsers that are signed in to the console by a one-time URL, with the rights of the key that requested it. */
export class ConsoleSessions {
  readonly #deps: Dependencies
  readonly #lifetimes: Lifetimes
  /** Unused links by the hash of their code. Lost when the daemon stops. */
  readonly #links = new Map<string, { apiKeyId: string; expiresAt: number }>()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#lifetimes = new Lifetimes(deps.clock)
  }

  /** `host`: host and port at which the client reaches the API. A forwarded port differs from the daemon's. */
  createLink({ id }: Principal, host: string): ConsoleLink {
    const code = randomBytes(32).toString('base64url')
    const url = URL.parse(`http://${host}/console/sign-in?code=${code}`)
    if (!url) throw new HostingError('INVALID_REQUEST', `The Host header "${host}" is invalid.`)
    url.hostname = CONSOLE_HOST
    const expiresAt = this.#now + LINK_MS
    if (this.#links.size >= MAX_LINKS) this.#links.delete(this.#links.keys().next().value!)
    this.#links.set(hash(code), { apiKeyId: id, expiresAt })
    return {
      url: url.href,
      expiresAt: new Date(expiresAt).toISOString(),
    }
  }

  /** Returns the cookie of a new session. Undefined for a code that is unknown, used or expired, or whose key was revoked. */
  signIn(code: string): { cookie: string; maxAgeSeconds: number } | undefined {
    const key = hash(code)
    const link = this.#links.get(key)
    this.#links.delete(key)
    const apiKey = link && this.#deps.store.apiKeys.find(link.apiKeyId)
    if (!apiKey || link.expiresAt <= this.#now) return undefined
    const cookie = randomBytes(32).toString('base64url')
    const createdAt = new Date(this.#now).toISOString()
    const session: ConsoleSession = {
      id: createId('con'),
      hash: hash(cookie),
      apiKeyId: apiKey.id,
      createdAt,
      expiresAt: new Date(this.#now + SESSION_MS).toISOString(),
    }
    this.#deps.store.consoleSessions.create(session)
    this.#deps.audit('signed a browser in to the console', { session: session.id, by: apiKey.name })
    return { cookie, maxAgeSeconds: SESSION_MS / 1000 }
  }

  /** Undefined for an unknown, ended or expired session, or for a revoked key. The caller checks whether the key has expired. */
  find(cookie: string): { session: ConsoleSession; principal: Principal } | undefined {
    const { clock, store } = this.#deps
    const session = store.consoleSessions.findByHash(hash(cookie))
    if (!session || session.expiresAt <= clock.wallTime()) return undefined
    const principal = store.apiKeys.find(session.apiKeyId)
    return principal && { session, principal }
  }

  /** Aborts when the session ends or expires. */
  lifetime({ id, expiresAt }: ConsoleSession): AbortSignal {
    return this.#lifetimes.signal(id, expiresAt)
  }

  /** Signs one browser out. */
  end({ id }: ConsoleSession): void {
    this.#deps.store.consoleSessions.remove(id)
    this.#lifetimes.end(id)
  }

  /** Signs out every browser with the rights of the key, and invalidates its links. Returns the number of browsers. */
  endAll({ id, name }: Principal): number {
    for (const [key, { apiKeyId }] of this.#links) if (apiKeyId === id) this.#links.delete(key)
    const ended = this.#deps.store.consoleSessions.removeByKey(id, this.#deps.clock.wallTime())
    for (const session of ended) this.#lifetimes.end(session.id)
    this.#deps.audit('signed all browsers out of the console', { ended: ended.length, by: name })
    return ended.length
  }

  get #now(): number {
    return Date.parse(this.#deps.clock.wallTime())
  }
}

function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
