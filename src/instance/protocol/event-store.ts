import type { SseResponse } from '../http/sse-response.ts'

const MAX_STREAMS = 1000
const MAX_CHARACTERS = 8 * 1024 * 1024
const MAX_STREAM_CHARACTERS = 1024 * 1024
/** What waits for a client that holds no GET stream, or that it may resume from. */
const MAX_OUTBOX_CHARACTERS = 64 * 1024
const KEEP_MS = 5 * 60_000
/** What a client is told to wait before it resumes. */
const RETRY_MS = 1000

/**
 * The events of legacy streams, so that a client whose connection broke gets what it missed (2025-11-25 transports,
 * "Resumability and Redelivery"). Bounded per stream and in all: what fell out cannot be resumed.
 */
export class EventStore {
  readonly #streams = new Map<number, ResumableStream>()
  #nextId: number

  /** Begins anywhere, so that an id which another instance gave to the session's streams is not taken for one of these. */
  constructor(firstId = Math.floor(Math.random() * 2 ** 40)) {
    this.#nextId = firstId
  }

  open(sessionId: string): ResumableStream {
    this.#makeRoom()
    const stream = new ResumableStream(this.#nextId++, sessionId, MAX_STREAM_CHARACTERS)
    this.#streams.set(stream.id, stream)
    return stream
  }

  /** A stream that its session keeps, as long as it lasts. */
  createOutbox(sessionId: string): ResumableStream {
    return new ResumableStream(this.#nextId++, sessionId, MAX_OUTBOX_CHARACTERS)
  }

  /** `eventId` as a client sends it back. Undefined when it is not (or no longer) known in that session. */
  find(eventId: string, sessionId: string): { stream: ResumableStream; after: number } | undefined {
    const event = parseEventId(eventId)
    const stream = event && this.#streams.get(event.streamId)
    return stream?.sessionId === sessionId ? { stream, after: event!.sequence } : undefined
  }

  forgetSession(sessionId: string): void {
    for (const stream of this.#streams.values())
      if (stream.sessionId === sessionId) this.#streams.delete(stream.id)
  }

  // In order of creation, so the oldest go first; running ones stay, they are bounded by the cap on open streams.
  #makeRoom(): void {
    const limit = Date.now() - KEEP_MS
    let characters = 0
    for (const stream of this.#streams.values()) characters += stream.characters
    for (const stream of this.#streams.values()) {
      const crowded = this.#streams.size >= MAX_STREAMS || characters > MAX_CHARACTERS
      if (!stream.isDone || (!crowded && stream.doneAt > limit)) continue
      this.#streams.delete(stream.id)
      characters -= stream.characters
    }
  }
}

/** An id as a client sends it back; undefined when it is none of ours. */
export function parseEventId(eventId: string): { streamId: number; sequence: number } | undefined {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(eventId)
  return match ? { streamId: Number(match[1]), sequence: Number(match[2]) } : undefined
}

/** The answer to one request, or what is said without one, as a stream that outlives its connection. */
export class ResumableStream {
  readonly id: number
  readonly sessionId: string
  characters = 0
  doneAt = 0
  #events: { sequence: number; data: string }[] = []
  #sequence = 0
  #delivered = 0
  readonly #mostCharacters: number
  #sink: SseResponse | undefined

  constructor(id: number, sessionId: string, mostCharacters: number) {
    this.id = id
    this.sessionId = sessionId
    this.#mostCharacters = mostCharacters
  }

  get isDone(): boolean {
    return this.doneAt > 0
  }

  /**
   * Sends to `sink` from now on, first what nobody took yet; `priming` gives the client an id to resume from before there is
   * an event.
   */
  attach(sink: SseResponse, priming: boolean): void {
    this.#sink = sink
    if (priming) sink.prime(`${this.id}-${this.#delivered}`, RETRY_MS)
    for (const event of this.#events) if (event.sequence > this.#delivered) this.#deliver(event)
  }

  /** Ends the connection but not the stream: the client comes back for the rest after `retryMs` (SEP-1699). */
  detach(retryMs = RETRY_MS): void {
    this.#sink?.prime(`${this.id}-${this.#sequence}`, retryMs)
    this.#sink?.end()
  }

  /** Sends what came after the event `after`, then what is still to come. A former connection is closed. */
  resume(sink: SseResponse, after: number): void {
    this.#sink?.end()
    this.#sink = sink
    for (const event of this.#events) if (event.sequence > after) this.#deliver(event)
    if (this.isDone) sink.end()
  }

  send(data: string): void {
    const event = { sequence: ++this.#sequence, data }
    this.#events.push(event)
    this.characters += data.length
    while (this.characters > this.#mostCharacters && this.#events.length > 1)
      this.characters -= this.#events.shift()!.data.length
    this.#deliver(event)
  }

  /** Nothing follows. */
  finish(): void {
    this.doneAt = Date.now()
    this.#sink?.end()
  }

  #deliver(event: { sequence: number; data: string }): void {
    if (!this.#sink?.isOpen) return
    this.#sink.send(event.data, `${this.id}-${event.sequence}`)
    this.#delivered = event.sequence
  }
}
