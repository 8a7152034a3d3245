import { LOG_DESCRIPTOR, type Tenant } from '../../shared/instances/instance-protocol.ts'
import type { LogLine } from '../../shared/instances/log-line.ts'
import { bare, slice, stringify } from '../isolation/intrinsics.ts'
import { LogWriter } from './log-writer.ts'
import { createRedactor } from './redact.ts'
import { createMessageRedactor } from './redact-message.ts'
import { RequestLines, type RequestRecord, timestamp, truncate } from './request-line.ts'

const LOG = Number(process.env[LOG_DESCRIPTOR] ?? 1)
const MAX_MESSAGE_CHARACTERS = 64 * 1024

/** Facts from the headers of a refused request. */
export type RefusedRequest = Partial<Pick<RequestRecord, 'method' | 'tool' | 'sessionId'>>

/** The log of one tenant: one line per request and, at level `debug`, every message. */
export class TenantLog {
  readonly showsMessages: boolean
  readonly #writer: LogWriter
  readonly #lines: RequestLines
  readonly #keepsBodies: boolean
  readonly #redact: (value: unknown) => unknown
  readonly #redactMessage: (message: unknown) => string

  constructor(tenant: Tenant) {
    this.showsMessages = tenant.logLevel === 'debug'
    const secrets = Object.values(tenant.env)
    this.#redact = createRedactor(secrets)
    this.#redactMessage = createMessageRedactor(secrets)
    this.#keepsBodies = tenant.recordsBodies ?? this.showsMessages
    this.#lines = new RequestLines(this.#redact, this.#redactMessage)
    this.#writer = new LogWriter(tenant.logFile ?? LOG, (count, reason) =>
      stringify(bare(serverLine('warn', `${count} log lines were lost: ${reason}`))),
    )
  }

  /** Logs an answered request. `answer`: JSON text, undefined if there is no answer or it is not known. */
  request(record: RequestRecord, answer?: string): void {
    const redacted = this.showsMessages && answer !== undefined ? this.#redactMessage(answer) : undefined
    if (redacted !== undefined) this.#writeMessage('out', redacted, record.sessionId)
    this.#writer.write(this.#lines.format(record, this.#keepsBodies ? { answer, redacted } : undefined))
  }

  /** Logs a message as received or sent, at `debug` only. `message` is JSON text or parsed. */
  message(direction: 'in' | 'out', message: unknown, sessionId?: string): void {
    if (this.showsMessages) this.#writeMessage(direction, this.#redactMessage(message), sessionId)
  }

  #writeMessage(direction: 'in' | 'out', redacted: string, sessionId: string | undefined): void {
    // Arrows, escaped because V8 handles text beyond Latin-1 at half the speed.
    const arrow = direction === 'in' ? '\\u2192' : '\\u2190'
    const text = slice(stringify(truncate(redacted, MAX_MESSAGE_CHARACTERS)), 1)
    const session = sessionId === undefined ? '' : `,"sessionId":${stringify(sessionId)}`
    this.#writer.write(
      `{"timestamp":"${timestamp()}","level":"debug","stream":"mcp","message":"${arrow} ${text}${session}}`,
    )
  }

  /** Logs a request that was refused before it reached a method of the server. */
  refusal(status: number, reason: string, { method, tool, sessionId }: RefusedRequest = {}): void {
    this.#write({
      timestamp: timestamp(),
      level: 'warn',
      stream: 'mcp',
      message: truncate(this.#redactText(`refused with ${status}: ${reason}`)),
      outcome: 'error',
      status,
      ...(method !== undefined && { method: truncate(method) }),
      ...(tool !== undefined && { tool: truncate(tool) }),
      ...(sessionId !== undefined && { sessionId }),
    })
  }

  /** `stream` is the source of the line. */
  server(level: LogLine['level'], message: string, stream: LogLine['stream'] = 'server'): void {
    this.#write({ ...serverLine(level, truncate(this.#redactText(message), MAX_MESSAGE_CHARACTERS)), stream })
  }

  /** Logs a line that user code printed. Written immediately, because the code may crash the process next. */
  output(stream: 'stdout' | 'stderr', text: string): void {
    const message = truncate(this.#redactText(text), MAX_MESSAGE_CHARACTERS)
    this.#write({ timestamp: timestamp(), level: stream === 'stdout' ? 'info' : 'warn', stream, message })
    this.#writer.flushNow()
  }

  /** Copies a line from another log. The line already has our format. */
  copy(line: LogLine): void {
    this.#write({ ...line, message: truncate(this.#redactText(line.message), MAX_MESSAGE_CHARACTERS) })
  }

  /** Blocks until waiting lines are written, unless the log is held. */
  flushNow(): void {
    this.#writer.flushNow()
  }

  hold(): Promise<void> {
    return this.#writer.hold()
  }

  resume(): void {
    this.#writer.resume()
  }

  close(): Promise<void> {
    return this.#writer.close()
  }

  #redactText(text: string): string {
    return this.#redact(text) as string
  }

  #write(line: LogLine): void {
    // Without a prototype, to which user code could add a `toJSON`.
    this.#writer.write(stringify(bare(line)))
  }
}

function serverLine(level: LogLine['level'], message: string): LogLine {
  return { timestamp: timestamp(), level, stream: 'server', message }
}
