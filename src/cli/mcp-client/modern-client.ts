import type { IncomingMessage } from 'node:http'
import { readEvents } from '../../shared/api/event-stream.ts'
import type { ConnectOptions } from '../../shared/mcp-client/connect.ts'
import { encodeHeaderValue, META, MODERN_REVISIONS } from '../../shared/modern-envelope.ts'
import { VERSION } from '../../shared/version.ts'
import { openTransport, readText } from '../api/transport.ts'
import { createDeadline, type Deadline } from './deadline.ts'
import { METHOD_NOT_FOUND } from './missing-list.ts'
import type { OnProgress } from './server-connection.ts'

export interface ModernRequest {
  method: string
  params?: Record<string, unknown>
  /** Tool, prompt or URI that the request is about, for the header `Mcp-Name`. */
  about?: string
  /** Without a level, the server sends no log messages. */
  logLevel?: string | undefined
  onProgress?: OnProgress | undefined
}

type ModernOptions = Pick<ConnectOptions, 'signal' | 'token' | 'onLog'> & { timeoutMs: number }

/** Thrown before the server has acted on the request, when only the SDK supports what the server requires or responds with. */
export class SdkRequiredError extends Error {}

/**
 * Client of protocol 2026-07-28 over HTTP. It sends one POST per request, without a handshake. The SDK's client supports more,
 * but takes longer to load than everything else in a command.
 */
export class ModernClient {
  readonly #url: URL
  readonly #options: ModernOptions
  readonly #send: ReturnType<typeof openTransport>['request']
  #lastId = 0
  /** True after the first result. Until then, most failures may come from a server of another era. */
  #isProven = false

  constructor(url: string, options: ModernOptions) {
    this.#url = new URL(url)
    this.#options = options
    this.#send = openTransport(this.#url).request
  }

  /** The result, checked by `is`. Throws SdkRequiredError, or an error with a `code` from JSON-RPC or from the connection. */
  async request<T>(request: ModernRequest, is: (result: unknown) => result is T): Promise<T> {
    const deadline = createDeadline(this.#options.timeoutMs, this.#options.signal)
    try {
      const result = await this.#exchange(request, deadline)
      if (!is(result)) throw new Error('it sent an invalid MCP message')
      this.#isProven = true
      return result
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      const isFinal = (this.#isProven && !isSignInError(error)) || error instanceof HandledError
      throw isFinal ? error : new SdkRequiredError('', { cause: error })
    } finally {
      deadline.end()
    }
  }

  async #exchange(request: ModernRequest, deadline: Deadline): Promise<unknown> {
    const id = ++this.#lastId
    const incoming = await this.#post(id, request, deadline.signal)
    const answer = await readAnswer(incoming, id, notification => {
      this.#notify(notification, request, () => deadline.restart())
    })
    const status = incoming.statusCode
    if (answer) return resultOf(answer, status)
    throw Object.assign(new Error(`HTTP ${status}`), { data: { status } })
  }

  #post(id: number, request: ModernRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, params, about } = request
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: envelope(id, request) },
    })
    const { token } = this.#options
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'mcp-protocol-version': MODERN_REVISIONS[0],
      'mcp-method': method,
      ...(about !== undefined && { 'mcp-name': encodeHeaderValue(about) }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    return new Promise((resolve, reject) => {
      this.#send(this.#url, { method: 'POST', headers, signal }, resolve).on('error', reject).end(body)
    })
  }

  #notify({ method, params = {} }: Message, { onProgress }: ModernRequest, onAlive: () => void): void {
    if (method === 'notifications/message')
      this.#options.onLog?.(String(params.level), params.data, params.logger)
    if (method !== 'notifications/progress') return
    onAlive()
    onProgress?.(Number(params.progress), params.total, params.message)
  }
}

interface Message {
  id?: unknown
  method?: string
  // biome-ignore lint/suspicious/noExplicitAny: members depend on the method.
  params?: Record<string, any>
  result?: { resultType?: unknown }
  error?: { code?: unknown; message?: unknown }
}

function envelope(id: number, { logLevel, onProgress }: ModernRequest): Record<string, unknown> {
  return {
    [META.protocolVersion]: MODERN_REVISIONS[0],
    [META.clientCapabilities]: {},
    [META.clientInfo]: { name: 'mcp', version: VERSION },
    ...(logLevel !== undefined && { [META.logLevel]: logLevel }),
    ...(onProgress && { progressToken: id }),
  }
}

/** The response to the request. Undefined when the server sent something else instead. */
async function readAnswer(
  incoming: IncomingMessage,
  id: number,
  onNotification: (message: Message) => void,
): Promise<Message | undefined> {
  if (!incoming.headers['content-type']?.startsWith('text/event-stream')) {
    const message = parseMessage(await readText(incoming))
    return message?.id === id ? message : undefined
  }
  for await (const message of readEvents<Message>(incoming)) {
    if (message.id === id && (message.result || message.error)) return message
    if (message.id === undefined) onNotification(message)
  }
  throw Object.assign(new Error('The stream ended without a response.'), { data: { streamCut: true } })
}

function parseMessage(text: string): Message | undefined {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}

/** An error of a server that accepted the revision and handled the request. */
class HandledError extends Error {}

function resultOf({ result, error }: Message, status: number | undefined): unknown {
  if (error) {
    // Since 2026-07-28, a server answers with 404 when it does not have the method.
    const isHandled = status === 200 || (status === 404 && error.code === METHOD_NOT_FOUND)
    const failure = isHandled ? new HandledError(String(error.message)) : new Error(String(error.message))
    throw Object.assign(failure, { code: error.code })
  }
  const { resultType, ...members } = result ?? {}
  if (resultType === 'complete') return members
  throw new Error(
    resultType === 'input_required'
      ? 'it asks the user for input, which this command cannot answer'
      : 'it sent an invalid MCP message',
  )
}

/** True when the token is missing, expired or lacks a scope. The server has not handled the request. */
function isSignInError(error: unknown): boolean {
  const { status } = (error as { data?: { status?: number } }).data ?? {}
  return status === 401 || status === 403
}
