import { LOG_DESCRIPTOR, type Tenant } from '../../shared/instances/instance-protocol.ts'
import type { LogLine } from '../../shared/instances/log-line.ts'
import { bare, dateNow, round, slice, stringify, toIsoString } from '../isolation/intrinsics.ts'
import { LogWriter } from './log-writer.ts'
import { createRedactor } from './redact.ts'
import { createMessageRedactor } from './redact-message.ts'

const LOG = Number(process.env[LOG_DESCRIPTOR] ?? 1)
const MAX_MESSAGE_CHARACTERS = 64 * 1024
const MAX_ARGUMENTS_CHARACTERS = 4096
const MAX_SUBJECTS = 200
const MAX_SUBJECT_CHARACTERS = 200
const MAX_REASON_CHARACTERS = 300
/** Limit on client-supplied text, because a 4 MB request must not become a log line. */
const MAX_TEXT_CHARACTERS = 1000

/** An answered MCP request, as logged. */
export interface RequestRecord {
  method: string
  /** Tool of a `tools/call`. */
  tool?: string | undefined
  /** Resource or prompt of a request for one. */
  subject?: string | undefined
  ms: number
  failed: boolean
  /** Why it failed. */
  reason?: string | undefined
  bytes: number
  requestId: string
  sessionId?: string | undefined
  /** The request's arguments, written only where messages are logged. */
  arguments?: unknown
}

/** Strings by name. Not a Map, because user code can replace its methods. */
class Subjects {
  count = 0
  readonly #texts: Record<string, string> = bare()

  get(name: string): string | undefined {
    return this.#texts[name]
  }

  set(name: string, text: string): void {
    this.#texts[name] = text
    this.count++
  }
}

/** The log of one tenant: a line per request, and at level `debug` every message. */
export class TenantLog {
  readonly showsMessages: boolean
  readonly #writer: LogWriter
  readonly #methods = new Subjects()
  readonly #tools = new Subjects()
  readonly #redact: (value: unknown) => unknown
  readonly #redactMessage: (message: unknown) => string

  constructor(tenant: Tenant) {
    this.showsMessages = tenant.logLevel === 'debug'
    const secrets = Object.values(tenant.env)
    this.#redact = createRedactor(secrets)
    this.#redactMessage = createMessageRedactor(secrets)
    this.#writer = new LogWriter(tenant.logFile ?? LOG, (count, reason) =>
      stringify(bare(serverLine('warn', `${count} log lines were lost: ${reason}`))),
    )
  }

  // Formatted by hand, because every request pays for this line.
  request(record: RequestRecord): void {
    const { method, tool, subject, ms, failed, bytes, requestId, sessionId, arguments: args } = record
    const outcome = failed ? '"level":"warn","outcome":"error"' : '"level":"info","outcome":"ok"'
    const session = sessionId === undefined ? '' : `,"sessionId":${stringify(sessionId)}`
    const rounded = round(ms * 1000) / 1000
    this.#writer.write(
      `{"timestamp":"${timestamp()}",${outcome},${this.#subject(method, tool, subject)},"ms":${rounded},"requestId":${stringify(cut(requestId))}${session},"bytes":${bytes}${this.#reasonMember(record.reason)}${this.#argumentsMember(args)}}`,
    )
  }

  #reasonMember(reason: string | undefined): string {
    if (reason === undefined) return ''
    return `,"reason":${stringify(cut(this.#redactText(reason), MAX_REASON_CHARACTERS))}`
  }

  /** The value, or its truncated text if long, because half a JSON value is invalid. */
  #argumentsMember(args: unknown): string {
    if (!this.showsMessages || args === undefined) return ''
    const text = this.#redactMessage(args)
    return `,"arguments":${text.length > MAX_ARGUMENTS_CHARACTERS ? stringify(cut(text, MAX_ARGUMENTS_CHARACTERS)) : text}`
  }

  /** Log members that describe the request. Cached, because almost all requests share a few. */
  #subject(method: string, tool: string | undefined, target: string | undefined): string {
    if (target !== undefined) return describeRequest(method, target)
    // Not a combined key, because V8 has already hashed these strings, and a new string would have to be hashed again.
    const subjects = tool === undefined ? this.#methods : this.#tools
    const key = tool ?? method
    const known = subjects.get(key)
    if (known !== undefined) return known
    const members = describeRequest(method, tool)
    const subject = tool === undefined ? members : `${members},"tool":${stringify(cut(tool))}`
    // Clients choose these names, so the cache is limited.
    if (subjects.count < MAX_SUBJECTS && key.length < MAX_SUBJECT_CHARACTERS) subjects.set(key, subject)
    return subject
  }

  /** Logs a message as received or sent, at `debug` only. `message` is JSON text or parsed. */
  message(direction: 'in' | 'out', message: unknown, sessionId?: string): void {
    if (!this.showsMessages) return
    // Arrows, escaped because V8 handles text beyond Latin-1 at half the speed.
    const arrow = direction === 'in' ? '\\u2192' : '\\u2190'
    const text = slice(stringify(cut(this.#redactMessage(message), MAX_MESSAGE_CHARACTERS)), 1)
    const session = sessionId === undefined ? '' : `,"sessionId":${stringify(sessionId)}`
    this.#writer.write(
      `{"timestamp":"${timestamp()}","level":"debug","stream":"mcp","message":"${arrow} ${text}${session}}`,
    )
  }

  /** Logs a request that was refused before it reached a method of the server. */
  refusal(status: number, reason: string): void {
    const message = cut(this.#redactText(`refused with ${status}: ${reason}`))
    this.#write({ timestamp: timestamp(), level: 'warn', stream: 'mcp', message, outcome: 'error' })
  }

  /** `stream` is the source of the line. */
  server(level: LogLine['level'], message: string, stream: LogLine['stream'] = 'server'): void {
    this.#write({ ...serverLine(level, cut(this.#redactText(message), MAX_MESSAGE_CHARACTERS)), stream })
  }

  /** Logs a line that user code printed. Written immediately, because the code may crash the process next. */
  output(stream: 'stdout' | 'stderr', text: string): void {
    const message = cut(this.#redactText(text), MAX_MESSAGE_CHARACTERS)
    this.#write({ timestamp: timestamp(), level: stream === 'stdout' ? 'info' : 'warn', stream, message })
    this.#writer.flushNow()
  }

  /** Copies a line from another log in our format. */
  copy(line: LogLine): void {
    this.#write({ ...line, message: cut(this.#redactText(line.message), MAX_MESSAGE_CHARACTERS) })
  }

  /** Blocks until waiting lines are written. */
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

/** Members for the method and the tool, resource or prompt. */
function describeRequest(method: string, target: string | undefined): string {
  const message = stringify(target === undefined ? cut(method) : `${cut(method)} ${cut(target)}`)
  return `"stream":"mcp","message":${message},"method":${stringify(cut(method))}`
}

function cut(text: string, most = MAX_TEXT_CHARACTERS): string {
  const rest = text.length - most
  return rest > 0 ? `${slice(text, 0, most)}… (${rest} more characters)` : text
}

let lastMs = 0
let lastText = ''

/** Cached, because many lines share a millisecond and formatting a date is the most expensive part of a line. */
function timestamp(): string {
  const now = dateNow()
  if (now !== lastMs) {
    lastMs = now
    lastText = toIsoString(now)
  }
  return lastText
}
