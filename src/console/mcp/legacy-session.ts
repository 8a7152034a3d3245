import { exchange } from './exchange.ts'
import { isObject, type McpRequest, type Message, type Params } from './messages.ts'
import {
  authorization,
  CAPABILITIES,
  CLIENT,
  type Endpoint,
  invalidMessage,
  isAnswer,
  QUESTIONS,
  resultOf,
  streamCut,
} from './protocol.ts'

const LEGACY_REVISION = '2025-11-25'
const METHOD_NOT_FOUND = -32601
const REFUSED = -1
/** Delay before the client requests the rest of a stream. The `retry` of events is ignored. */
const RESUME_AFTER_MS = 500
const MAX_RESUMPTIONS = 20

interface Running {
  request: McpRequest
  id: number
}

/** The server no longer knows the session. It has not handled the request. */
export class SessionEndedError extends Error {}

/** A session with a server that speaks a revision before 2026-07-28. Begins with a handshake and ends with DELETE. */
export class LegacySession {
  /** Answer to the handshake: version, capabilities, name and instructions. */
  readonly facts: Params
  readonly #endpoint: Endpoint
  readonly #sessionId: string | null
  readonly #closing = new AbortController()
  /** Keyed by progress token, which is the id of the request. */
  readonly #running = new Map<number, Running>()
  #lastId = 1

  private constructor(endpoint: Endpoint, sessionId: string | null, facts: Params) {
    this.#endpoint = endpoint
    this.#sessionId = sessionId
    this.facts = facts
  }

  static async open(endpoint: Endpoint, signal: AbortSignal): Promise<LegacySession> {
    const params = {
      protocolVersion: LEGACY_REVISION,
      capabilities: { ...CAPABILITIES, ...QUESTIONS },
      clientInfo: CLIENT,
    }
    const { headers, messages } = await exchange({
      method: 'POST',
      path: endpoint.path,
      headers: authorization(endpoint),
      message: { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      signal,
    })
    const facts = await firstAnswer(messages(), 1)
    if (!isRevision(facts.protocolVersion)) throw invalidMessage('The message names no protocol revision.')
    const session = new LegacySession(endpoint, headers.get('mcp-session-id'), facts)
    try {
      await session.#send({ jsonrpc: '2.0', method: 'notifications/initialized' }, signal)
      await session.#enableLog(signal)
    } catch (error) {
      session.close()
      throw error
    }
    void session.#listen()
    return session
  }

  /** Throws McpError with the server's own message, and SessionEndedError if the server no longer knows the session. */
  async request(request: McpRequest): Promise<Params> {
    const id = ++this.#lastId
    const running = { request, id }
    this.#running.set(id, running)
    const cancel = () => void this.#cancel(id)
    request.signal.addEventListener('abort', cancel)
    try {
      return await this.#exchange(running)
    } finally {
      request.signal.removeEventListener('abort', cancel)
      this.#running.delete(id)
    }
  }

  /** Ends the session, even while the page is being closed. */
  close(): void {
    this.#closing.abort()
    if (this.#sessionId === null) return
    const { path } = this.#endpoint
    void fetch(path, { method: 'DELETE', headers: this.#headers(), keepalive: true }).catch(() => {})
  }

  async #exchange({ request, id }: Running): Promise<Params> {
    const { method, params, onNotification, signal } = request
    const sent = { ...params, ...(onNotification && { _meta: { progressToken: id } }) }
    let stream = await this.#send({ jsonrpc: '2.0', id, method, params: sent }, signal)
    if (stream.status === 404 && this.#sessionId !== null) throw new SessionEndedError()
    for (let resumptions = 0; resumptions < MAX_RESUMPTIONS; resumptions++) {
      let lastEvent: string | undefined
      for await (const message of stream.messages(event => (lastEvent = event))) {
        if (isAnswer(message, id)) return resultOf(message)
        this.#receive(message, request)
      }
      if (lastEvent === undefined) break
      // The server closed the stream and keeps the rest (SEP-1699).
      await new Promise(resolve => setTimeout(resolve, RESUME_AFTER_MS))
      stream = await this.#open(lastEvent, signal)
    }
    throw streamCut()
  }

  #send(message: Message, signal: AbortSignal) {
    return exchange({ method: 'POST', path: this.#endpoint.path, headers: this.#headers(), message, signal })
  }

  #open(lastEvent: string | undefined, signal: AbortSignal) {
    const headers = { ...this.#headers(), ...(lastEvent !== undefined && { 'last-event-id': lastEvent }) }
    return exchange({ method: 'GET', path: this.#endpoint.path, headers, signal })
  }

  #headers(): Record<string, string> {
    return {
      'mcp-protocol-version': String(this.facts.protocolVersion),
      ...(this.#sessionId !== null && { 'mcp-session-id': this.#sessionId }),
      ...authorization(this.#endpoint),
    }
  }

  async #enableLog(signal: AbortSignal): Promise<void> {
    const { capabilities } = this.facts
    if (!isObject(capabilities) || !capabilities.logging) return
    // A server that rejects the level can still be used.
    await this.request({ method: 'logging/setLevel', params: { level: 'debug' }, signal }).catch(() => {})
  }

  /** Receives messages that belong to no response. Servers may have no stream for them. */
  async #listen(): Promise<void> {
    try {
      const { messages } = await this.#open(undefined, this.#closing.signal)
      for await (const message of messages()) {
        const newest = [...this.#running.values()].at(-1)
        this.#receive(message, this.#runningFor(message)?.request ?? newest?.request)
      }
    } catch {
      // Only responses to requests matter, and they have their own streams.
    }
  }

  #runningFor({ params }: Message): Running | undefined {
    return this.#running.get(Number(params?.progressToken))
  }

  #receive(message: Message, request: McpRequest | undefined): void {
    const { id, method, params = {} } = message
    if (method === undefined) return
    if (id === undefined || id === null) request?.onNotification?.(method, params)
    else void this.#respond(id, method, params, request)
  }

  async #respond(id: string | number, method: string, params: Params, request: McpRequest | undefined) {
    const answer = await answerTo(method, params, request)
    await this.#send({ jsonrpc: '2.0', id, ...answer }, this.#closing.signal).catch(() => {})
  }

  async #cancel(id: number): Promise<void> {
    const params = { requestId: id, reason: 'The user cancelled the call.' }
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params } as const
    await this.#send(message, this.#closing.signal).catch(() => {})
  }
}

async function answerTo(
  method: string,
  params: Params,
  request: McpRequest | undefined,
): Promise<Pick<Message, 'result' | 'error'>> {
  if (method === 'ping') return { result: {} }
  if (!request?.onQuestion || !Object.hasOwn(QUESTIONS, method.split('/')[0]!))
    return { error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } }
  try {
    return { result: await request.onQuestion({ method, params }) }
  } catch {
    return { error: { code: REFUSED, message: 'The user refused the request.' } }
  }
}

/** Checks the form of a revision, because it becomes the value of a header. */
function isRevision(version: unknown): boolean {
  return typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version)
}

async function firstAnswer(messages: AsyncGenerator<Message>, id: number): Promise<Params> {
  for await (const message of messages) if (isAnswer(message, id)) return resultOf(message)
  throw streamCut()
}
