/** A time in which requests to some servers may fail, and why. */
interface Fault {
  cause: string
  /** Names of servers; undefined: all. */
  subjects: ReadonlySet<string> | undefined
  from: number
  until: number
}

export interface Unexpected {
  at: string
  subject: string
  message: string
}

/** A client learns only with its next packet that the other end is gone: what it sent until then was in flight. */
const NOTICE_MS = 250
/** No request takes so long; faults that ended before excuse nobody any more. */
const FORGET_MS = 120_000
const KEPT_UNEXPECTED = 50

/**
 * Counts requests, and holds each failed one against the faults that were made on purpose: only a request that was under
 * way during one of them is excused.
 */
export class Ledger {
  answered = 0
  readonly excused = new Map<string, number>()
  /** The first ones, with what was said. */
  readonly unexpected: Unexpected[] = []
  unexpectedCount = 0
  readonly events = new Map<string, number>()
  #faults: Fault[] = []

  /** Something that was done or seen, for the report. */
  note(event: string): void {
    this.events.set(event, (this.events.get(event) ?? 0) + 1)
  }

  /** Requests to these servers may fail until the function that it gives is called. */
  beginFault(cause: string, subjects?: Iterable<string>): () => void {
    const now = performance.now()
    this.#faults = this.#faults.filter(fault => fault.until > now - FORGET_MS)
    const fault: Fault = { cause, subjects: subjects && new Set(subjects), from: now, until: Infinity }
    this.#faults.push(fault)
    this.note(cause)
    return () => {
      fault.until = performance.now() + NOTICE_MS
    }
  }

  /** Counts what `request` does. Gives undefined when it failed. */
  async attempt<T>(subject: string, request: () => Promise<T>, what = 'request'): Promise<T | undefined> {
    const sentAt = performance.now()
    try {
      const result = await request()
      this.answered++
      return result
    } catch (error) {
      this.#countFailure(subject, sentAt, `${what}: ${describe(error)}`)
      return undefined
    }
  }

  /** The cause that excuses what failed between `sentAt` (of `performance.now()`) and now, if there is one. */
  causeSince(subject: string, sentAt: number): string | undefined {
    return this.#faults.find(
      ({ subjects, until }) => until >= sentAt && (subjects === undefined || subjects.has(subject)),
    )?.cause
  }

  #countFailure(subject: string, sentAt: number, message: string): void {
    const cause = this.causeSince(subject, sentAt)
    if (cause === undefined) this.addUnexpected(subject, message)
    else this.excused.set(cause, (this.excused.get(cause) ?? 0) + 1)
  }

  addUnexpected(subject: string, message: string): void {
    this.unexpectedCount++
    const failure = { at: new Date().toISOString(), subject, message: message.slice(0, 400) }
    console.error(`${failure.at} ${subject}: ${failure.message}`)
    if (this.unexpected.length < KEPT_UNEXPECTED) this.unexpected.push(failure)
  }
}

function describe(error: unknown): string {
  const { message, code, cause } = error as NodeJS.ErrnoException
  const reason = cause ? ` (${describe(cause)})` : ''
  return `${code && !message.includes(code) ? `${code} ` : ''}${message}${reason}`
}
