import type { Rooms } from './rooms.ts'

const KEPT_MS = 24 * 3_600_000
const LIMITS = { maxCount: 1000, maxBytes: 16 * 1024 * 1024 }
const MAX_BODY_BYTES = 1024 * 1024

/** Answer to a request, as it is replayed. */
export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  /** Null if it was too large to keep. */
  body: string | null
}

/** Reservation of an idempotency key by a request. */
export interface Reservation {
  keep(answer: KeptAnswer): void
  /** Ends the reservation. Frees the key if no answer was kept. */
  release(): void
}

export type Lookup =
  | { state: 'new'; reservation: Reservation }
  | { state: 'running' | 'mismatch' | 'interrupted' }
  | { state: 'answered'; answer: KeptAnswer }

/** Idempotency keys of the last 24 hours. They are unique for each API key. */
export class IdempotencyKeys {
  readonly #rooms: Pick<Rooms, 'store' | 'clock' | 'secrets' | 'background'>
  /** Requests of this process. Any other record without an answer was interrupted. */
  readonly #running = new Set<string>()

  constructor(rooms: Pick<Rooms, 'store' | 'clock' | 'secrets' | 'background'>) {
    this.#rooms = rooms
  }

  /** Reserves a key that is not in use. `request` identifies the request and is stored as a keyed hash. */
  reserve(apiKeyId: string, key: string, request: string): Lookup {
    const { store, clock, secrets } = this.#rooms
    const id = `${apiKeyId} ${key}`
    const fingerprint = secrets.derive(`idempotent request\n${request}`)
    return store.transaction((): Lookup => {
      removeExpiredIdempotencyKeys(this.#rooms)
      const found = store.idempotencyKeys.find(apiKeyId, key)
      if (found && found.fingerprint !== fingerprint) return { state: 'mismatch' }
      if (this.#running.has(id)) return { state: 'running' }
      if (found)
        return found.answer === null
          ? { state: 'interrupted' }
          : { state: 'answered', answer: JSON.parse(secrets.unseal(found.answer)) }
      store.idempotencyKeys.create({ apiKeyId, key, fingerprint, createdAt: clock.reading() })
      return { state: 'new', reservation: this.#start(apiKeyId, key) }
    })
  }

  #start(apiKeyId: string, key: string): Reservation {
    const { store, secrets, background } = this.#rooms
    const id = `${apiKeyId} ${key}`
    this.#running.add(id)
    let isOver = false
    // The request has had its effect by now, so its answer is sent even if it cannot be stored.
    const end = (work: () => void) => {
      if (isOver) return
      isOver = true
      background.attempt(() => store.transaction(work))
      this.#running.delete(id)
    }
    return {
      keep: answer =>
        end(() => {
          store.idempotencyKeys.setAnswer(apiKeyId, key, secrets.seal(JSON.stringify(fitting(answer))))
          store.idempotencyKeys.trim(apiKeyId, LIMITS)
        }),
      release: () => end(() => store.idempotencyKeys.remove(apiKeyId, key)),
    }
  }
}

/** Removes idempotency keys after 24 hours. */
export function removeExpiredIdempotencyKeys({ store, clock }: Pick<Rooms, 'store' | 'clock'>): void {
  store.idempotencyKeys.removeUntil(expiryLimit(clock.reading()))
}

function expiryLimit(now: string): string {
  return new Date(Date.parse(now) - KEPT_MS).toISOString()
}

function fitting(answer: KeptAnswer): KeptAnswer {
  const isTooLarge = answer.body !== null && Buffer.byteLength(answer.body) > MAX_BODY_BYTES
  return isTooLarge ? { ...answer, body: null } : answer
}
