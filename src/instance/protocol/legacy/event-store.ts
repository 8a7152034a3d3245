import type { SseResponse } from '../../http/sse-response.ts'

const MAX_STREAMS = 1000
const MAX_CHARACTERS = 8 * 1024 * 1024
const MAX_STREAM_CHARACTERS = 1024 * 1024
/** Limit on the messages kept for a client without a GET stream, or for resuming one. */
const MAX_OUTBOX_CHARACTERS = 64 * 1024
const KEEP_MS = 5 * 60_000
/** Reconnect delay sent to clients. */
const RETRY_MS = 1000

/**
 * Events of legacy streams, so that a client can resume after a broken connection (2025-11-25 transports, "Resumability and
 * Redelivery"). Limited per stream and in total. Resuming skips dropped events. The last event of a stream, usually the result,
 * is kept as long as the stream.
 */
export class EventStore {
  readonly #streams = new Map<number, ResumableStream>()
  #nextId: number

  /** The first id is random, so that ids of another instance's streams are not mistaken for ids of this one. */
  constructor(firstId = Math.floor(Math.random() * 2 ** 40)) {
    this.#nextId = firstId
  }

  open(sessionId: string): ResumableStream {
    this.#makeRoom()
    const stream = new ResumableStream(this.#nextId++, sessionId, MAX_STREAM_CHARACTERS)
    this.#streams.set(stream.id, stream)
    return stream
  }

  /** Creates a stream that lives as long as its session. */
  createOutbox(sessionId: string): ResumableStream {
    return new ResumableStream(this.#nextId++, sessionId, MAX_OUTBOX_CHARACTERS)
  }

  /** `eventId` is any text that a client sent. Undefined when the session has no such stream or the stream was dropped. */
  find(eventId: string, sessionId: string): { stream: ResumableStream; after: number } | undefined {
    const event = parseEventId(eventId)
    const stream = event && this.#streams.get(event.streamId)
    return stream?.sessionId === sessionId ? { stream, after: event!.sequence } : undefined
  }

  forgetSession(sessionId: string): void {
    for (const stream of this.#streams.values())
      if (stream.sessionId === sessionId) this.#streams.delete(stream.id)
  }

  // Drops expired streams and, at a limit, the oldest finished ones. Keeps running streams, which are limited separately.
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

/** Parses an event id. Undefined when it is malformed. */
export function parseEventId(eventId: string): { streamId: number; sequence: number } | undefined {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(eventId)
  return match ? { streamId: Number(match[1]), sequence: Number(match[2]) } : undefined
}

/** Answer to one request, or a session's messages outside requests, as a stream that survives broken connections. */
export class ResumableStream {
  readonly id: number
  readonly sessionId: string
  characters = 0
  doneAt = 0
  #events: { sequence: number; data: string }[] = []
  #sequence = 0
  #delivered = 0
  readonly #maxCharacters: number
  #sink: SseResponse | undefined

  constructor(id: number, sessionId: string, maxCharacters: number) {
    this.id = id
    this.sessionId = sessionId
    this.#maxCharacters = maxCharacters
  }

  get isDone(): boolean {
    return this.doneAt > 0
  }

  /**
   * Sends to `sink`, starting with undelivered events. If `isPrimed`, the client first gets an id to resume from.
   */
  attach(sink: SseResponse, isPrimed: boolean): void {
    this.#sink = sink
    if (isPrimed) sink.prime(`${this.id}-${this.#delivered}`, RETRY_MS)
    for (const event of this.#events) if (event.sequence > this.#delivered) this.#deliver(event)
  }

  /** Closes the connection but not the stream. The client reconnects for the rest after `retryMs` (SEP-1699). */
  detach(retryMs = RETRY_MS): void {
    this.#sink?.prime(`${this.id}-${this.#sequence}`, retryMs)
    this.#sink?.end()
  }

  /** Sends the events after `after`, then future ones. Closes a previous connection. */
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
    while (this.characters > this.#maxCharacters && this.#events.length > 1)
      this.characters -= this.#events.shift()!.data.length
    this.#deliver(event)
  }

  /** Completes the stream. */
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
