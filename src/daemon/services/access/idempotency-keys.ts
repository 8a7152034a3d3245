import type { ServiceDependencies } from '../dependencies.ts'

const KEPT_MS = 24 * 3_600_000
const LIMITS = { maxCount: 1000, maxBytes: 16 * 1024 * 1024 }
const MAX_BODY_BYTES = 1024 * 1024
const STORED_ANSWER = { what: 'The stored answer', replace: 'send the request with a new Idempotency-Key' }

/** Stored answer, sent again when its request is repeated. */
export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  /** Null if it was too large to keep. */
  body: string | null
}

export interface Reservation {
  keep(answer: KeptAnswer): void
  /** Ends the reservation. Frees the key unless an answer was kept. */
  release(): void
}

export type Lookup =
  | { state: 'new'; reservation: Reservation }
  | { state: 'running' | 'mismatch' | 'interrupted' }
  | { state: 'answered'; answer: KeptAnswer }

type Dependencies = Pick<ServiceDependencies, 'store' | 'clock' | 'secrets' | 'background'>

/** Idempotency keys of the last 24 hours, unique per API key. */
export class IdempotencyKeys {
  readonly #deps: Dependencies
  /** Requests in progress in this process. Any other record without an answer was interrupted. */
  readonly #running = new Set<string>()
  /** Released keys whose record could not be removed, for example on a full disk. */
  readonly #unremoved = new Map<string, { apiKeyId: string; key: string }>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Reserves a key, or returns the state of the earlier request with it. `request` is stored as a keyed hash. */
  reserve(apiKeyId: string, key: string, request: string): Lookup {
    const { store, clock, secrets } = this.#deps
    const id = `${apiKeyId} ${key}`
    const fingerprint = secrets.derive(`idempotent request\n${request}`)
    const state = store.transaction((): Exclude<Lookup, { state: 'new' }> | undefined => {
      removeExpiredIdempotencyKeys(this.#deps)
      for (const one of this.#unremoved.values()) store.idempotencyKeys.remove(one.apiKeyId, one.key)
      const found = store.idempotencyKeys.find(apiKeyId, key)
      if (found && found.fingerprint !== fingerprint) return { state: 'mismatch' }
      if (this.#running.has(id)) return { state: 'running' }
      if (found)
        return found.answer === null
          ? { state: 'interrupted' }
          : { state: 'answered', answer: JSON.parse(secrets.unseal(found.answer, STORED_ANSWER)) }
      store.idempotencyKeys.create({ apiKeyId, key, fingerprint, createdAt: clock.wallTime() })
      return undefined
    })
    // Cleared only after the commit, because a commit fails on a full disk.
    this.#unremoved.clear()
    if (state) return state
    return { state: 'new', reservation: this.#start(apiKeyId, key) }
  }

  #start(apiKeyId: string, key: string): Reservation {
    const { store, secrets, background } = this.#deps
    const id = `${apiKeyId} ${key}`
    this.#running.add(id)
    let hasEnded = false
    // The request has already taken effect, so its answer is sent even if it cannot be stored.
    const end = (work: () => void, onFailed = () => {}) => {
      if (hasEnded) return
      hasEnded = true
      let isWritten = false
      background.attempt(() => {
        store.transaction(work)
        isWritten = true
      })
      if (!isWritten) onFailed()
      this.#running.delete(id)
    }
    return {
      keep: answer =>
        end(() => {
          store.idempotencyKeys.setAnswer(apiKeyId, key, secrets.seal(JSON.stringify(limitAnswer(answer))))
          store.idempotencyKeys.trim(apiKeyId, LIMITS)
        }),
      release: () =>
        end(
          () => store.idempotencyKeys.remove(apiKeyId, key),
          () => this.#unremoved.set(id, { apiKeyId, key }),
        ),
    }
  }
}

/** Removes idempotency keys that are at least 24 hours old. */
export function removeExpiredIdempotencyKeys({
  store,
  clock,
}: Pick<ServiceDependencies, 'store' | 'clock'>): void {
  store.idempotencyKeys.removeUntil(expiryLimit(clock.wallTime()))
}

function expiryLimit(now: string): string {
  return new Date(Date.parse(now) - KEPT_MS).toISOString()
}

function limitAnswer(answer: KeptAnswer): KeptAnswer {
  const isTooLarge = answer.body !== null && Buffer.byteLength(answer.body) > MAX_BODY_BYTES
  return isTooLarge ? { ...answer, body: null } : answer
}
