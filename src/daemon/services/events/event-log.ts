import { randomBytes } from 'node:crypto'
import type { ChangeEvent, ResetEvent } from '../../../shared/contract/monitoring/events.ts'

/** An event with its id. */
export interface LoggedEvent<Event = ChangeEvent | ResetEvent> {
  id: string
  data: Event
}

/** The newest events in memory. A reader has a position in the log but no buffer, so a slow reader costs nothing. */
export class EventLog {
  readonly #capacity: number
  /** Distinguishes the ids of this log from those of another log. */
  readonly #epoch = randomBytes(6).toString('hex')
  #events: ChangeEvent[] = []
  /** Position of the first event in `#events`. */
  #start = 0
  readonly #listeners = new Set<() => void>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  add(event: ChangeEvent): void {
    this.#events.push(event)
    // Removes half of the events, because removing one at a time would move all the others each time.
    if (this.#events.length >= 2 * this.#capacity) {
      this.#start += this.#events.length - this.#capacity
      this.#events = this.#events.slice(-this.#capacity)
    }
    for (const listener of this.#listeners) listener()
  }

  /**
   * A reader that continues after an id. Without an id, or if the log no longer has that position, the reader begins with a
   * reset.
   */
  reader(after: string | undefined): EventReader {
    const position = this.#positionOf(after)
    if (position !== undefined) return new EventReader(this, position)
    return new EventReader(this, this.end, after === undefined ? 'new' : 'restarted')
  }

  /** Position of the next event. */
  get end(): number {
    return this.#start + this.#events.length
  }

  /** The event at a position. Undefined if it was removed. */
  at(position: number): ChangeEvent | undefined {
    return this.#events[position - this.#start]
  }

  /** Calls the listener after each added event, until the returned function is called. */
  onAdded(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Id of the event before a position. */
  idBefore(position: number): string {
    return `${this.#epoch}-${position}`
  }

  #positionOf(id: string | undefined): number | undefined {
    const [epoch, position] = (id ?? '').split('-')
    if (epoch !== this.#epoch || !/^\d{1,15}$/.test(position ?? '')) return undefined
    const number = Number(position)
    return number >= this.#start && number <= this.end ? number : undefined
  }
}

/** A position in the log. */
export class EventReader {
  readonly #log: EventLog
  #position: number
  #reset: ResetEvent['reason'] | undefined

  constructor(log: EventLog, position: number, reset?: ResetEvent['reason']) {
    this.#log = log
    this.#position = position
    this.#reset = reset
  }

  /** Id of the last event that was read. */
  get id(): string {
    return this.#log.idBefore(this.#position)
  }

  /** The next event. Undefined if there is none yet. */
  next(): LoggedEvent | undefined {
    const event = this.#log.at(this.#position)
    if (this.#reset === undefined && this.#position < this.#log.end && !event) {
      this.#reset = 'missed'
      this.#position = this.#log.end
    }
    if (this.#reset !== undefined) return this.#takeReset(this.#reset)
    if (!event) return undefined
    this.#position++
    return { id: this.id, data: event }
  }

  #takeReset(reason: ResetEvent['reason']): LoggedEvent<ResetEvent> {
    this.#reset = undefined
    return { id: this.id, data: { type: 'reset', reason } }
  }
}
