/** A period in which requests to some servers may fail, and the cause. */
interface Fault {
  cause: string
  /** Names of servers. All when undefined. */
  subjects: ReadonlySet<string> | undefined
  from: number
  until: number
}

export interface Unexpected {
  at: string
  subject: string
  message: string
}

/** A client notices a closed connection only with its next packet, so requests sent until then may fail. */
const NOTICE_MS = 250
/** Longer than any request. Faults that ended earlier are dropped. */
const FORGET_MS = 120_000
const KEPT_UNEXPECTED = 50

/** Counts requests and attributes failed ones to injected faults. Only a request that was running during a fault is excused. */
export class Ledger {
  answered = 0
  readonly excused = new Map<string, number>()
  /** The first unexpected failures, with their messages. */
  readonly unexpected: Unexpected[] = []
  unexpectedCount = 0
  readonly events = new Map<string, number>()
  #faults: Fault[] = []

  /** Counts an event for the report. */
  note(event: string): void {
    this.events.set(event, (this.events.get(event) ?? 0) + 1)
  }

  /** Begins a fault. Requests to these servers may fail until the returned function is called. */
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

  /** Counts the outcome of `request`. Returns undefined if it failed. */
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

  /** Cause that excuses a failure between `sentAt` (from `performance.now()`) and now, if any. */
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
