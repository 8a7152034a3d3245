import { bare, dateNow, round, slice, stringify, toIsoString } from '../isolation/intrinsics.ts'
import { isMissingMethod } from '../protocol/json-rpc.ts'

/** Limit on each record's arguments, and on its answer. */
const MAX_BODY_CHARACTERS = 16 * 1024
/** Limit on all bodies per minute, so that they do not push everything else out of the log. */
const MAX_BODIES_CHARACTERS = 8 * 1024 * 1024
const MINUTE_MS = 60_000
const OMITTED = ',"bodies":"omitted"'
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
  /** Resource or prompt that the request names. */
  subject?: string | undefined
  ms: number
  failed: boolean
  /** True when the client cancelled the request, so there is no answer. */
  cancelled?: boolean | undefined
  /** Reason for the failure. */
  reason?: string | undefined
  /** Code of the JSON-RPC error. */
  code?: number | undefined
  bytes: number
  /** `Content-Length` of the request. */
  contentLength?: string | undefined
  requestId: string
  sessionId?: string | undefined
  /** Signed-in user. */
  caller?: string | undefined
  /** Id of the record that this request replays, as sent by the client. */
  replayOf?: unknown
  /** The request's arguments, written only when bodies are kept. */
  arguments?: unknown
}

/** Answer of a request as JSON text. */
interface Answer {
  answer: string | undefined
  /** The answer without secrets, if it is already known. */
  redacted?: string | undefined
}

/** Formats the log lines of requests by hand, because every request pays for its line. */
export class RequestLines {
  readonly #redact: (value: unknown) => unknown
  readonly #redactMessage: (message: unknown) => string
  readonly #methods = new Subjects()
  readonly #tools = new Subjects()
  #bodiesLeft = MAX_BODIES_CHARACTERS
  #bodiesUntil = 0

  constructor(redact: (value: unknown) => unknown, redactMessage: (message: unknown) => string) {
    this.#redact = redact
    this.#redactMessage = redactMessage
  }

  /** `bodies`: set when arguments and answer are kept. */
  format(record: RequestRecord, bodies?: Answer): string {
    const { method, tool, subject, ms, bytes, requestId, sessionId } = record
    const session = sessionId === undefined ? '' : `,"sessionId":${stringify(sessionId)}`
    const rounded = round(ms * 1000) / 1000
    // Not the text of the header, which may have leading zeros.
    const received = record.contentLength === undefined ? '' : `,"requestBytes":${+record.contentLength}`
    return `{"timestamp":"${timestamp()}",${outcomeOf(record)},${this.#subject(method, tool, subject)},"ms":${rounded},"requestId":${stringify(truncate(requestId))}${session},"bytes":${bytes}${received}${this.#rareMembers(record)}${bodies ? this.#bodies(record.arguments, bodies) : ''}}`
  }

  #rareMembers({ failed, caller, code, reason, replayOf }: RequestRecord): string {
    let members = caller === undefined ? '' : `,"caller":${stringify(truncate(caller))}`
    if (typeof replayOf === 'string') members += `,"replayOf":${stringify(truncate(replayOf))}`
    if (!failed) return members
    if (code !== undefined) members += `,"code":${code}`
    if (reason === undefined) return members
    return `${members},"reason":${stringify(truncate(this.#redactText(reason), MAX_REASON_CHARACTERS))}`
  }

  /** Also redacts JSON inside the text, such as the answer from an API that a tool passes on. */
  #redactText(text: string): string {
    const redacted = this.#redact({ text }) as string | { text: string }
    return typeof redacted === 'string' ? redacted : redacted.text
  }

  #bodies(args: unknown, { answer, redacted }: Answer): string {
    if (!this.#hasRoom()) return OMITTED
    const sent = args === undefined ? '' : `,"arguments":${truncateBody(this.#redactMessage(args))}`
    const members =
      answer === undefined
        ? sent
        : `${sent},"answer":${truncateBody(redacted ?? this.#redactMessage(answer))}`
    this.#bodiesLeft -= members.length
    return this.#bodiesLeft >= 0 ? members : OMITTED
  }

  /** True until the limit per minute is reached. Called before the bodies are redacted, which takes longer than the rest. */
  #hasRoom(): boolean {
    const now = dateNow()
    if (now >= this.#bodiesUntil) {
      this.#bodiesUntil = now + MINUTE_MS
      this.#bodiesLeft = MAX_BODIES_CHARACTERS
    }
    return this.#bodiesLeft >= 0
  }

  /** Log members that describe the request. Cached, because almost all requests share a few methods and tools. */
  #subject(method: string, tool: string | undefined, target: string | undefined): string {
    if (target !== undefined) return describeRequest(method, this.#redactText(target))
    // Not a combined key, because V8 has already hashed these strings, and a new string would have to be hashed again.
    const subjects = tool === undefined ? this.#methods : this.#tools
    const key = tool ?? method
    const known = subjects.get(key)
    if (known !== undefined) return known
    const members = describeRequest(method, tool)
    const subject = tool === undefined ? members : `${members},"tool":${stringify(truncate(tool))}`
    // Clients choose these names, so the cache is limited.
    if (subjects.count < MAX_SUBJECTS && key.length < MAX_SUBJECT_CHARACTERS) subjects.set(key, subject)
    return subject
  }
}

/** Members for the level and the outcome. Clients probe for methods, so a missing method is not worth a warning. */
function outcomeOf({ method, failed, cancelled, code }: RequestRecord): string {
  if (cancelled) return '"level":"warn","outcome":"cancelled"'
  if (!failed) return '"level":"info","outcome":"ok"'
  return isMissingMethod(method, code)
    ? '"level":"info","outcome":"error"'
    : '"level":"warn","outcome":"error"'
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

/** Members for the method and the tool, resource or prompt. */
function describeRequest(method: string, target: string | undefined): string {
  const message = stringify(
    target === undefined ? truncate(method) : `${truncate(method)} ${truncate(target)}`,
  )
  return `"stream":"mcp","message":${message},"method":${stringify(truncate(method))}`
}

/** JSON text, or its beginning as a JSON string if it is too long, because half a JSON value is invalid. */
function truncateBody(text: string): string {
  return text.length > MAX_BODY_CHARACTERS ? stringify(truncate(text, MAX_BODY_CHARACTERS)) : text
}

export function truncate(text: string, max = MAX_TEXT_CHARACTERS): string {
  const rest = text.length - max
  return rest > 0 ? `${slice(text, 0, max)}… (${rest} more characters)` : text
}

let lastMs = 0
let lastText = ''

/**
 * Current time as text. Cached, because many lines share a millisecond and formatting a date is the most expensive part of a
 * line.
 */
export function timestamp(): string {
  const now = dateNow()
  if (now !== lastMs) {
    lastMs = now
    lastText = toIsoString(now)
  }
  return lastText
}
