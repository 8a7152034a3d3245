import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** Response to a plain HTTP request, with which a test can send what no client library would. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** Parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any shape out of an answer.
  json: any
}

export interface Send {
  method?: string
  headers?: Record<string, string>
  /** Strings are sent unchanged, and other values as JSON. */
  body?: unknown
  agent?: Agent
  signal?: AbortSignal
}

const BOTH = 'application/json, text/event-stream'

export async function send(url: string, options: Send = {}): Promise<Answer> {
  const message = await open(url, options)
  let text = ''
  for await (const chunk of message.setEncoding('utf8')) text += chunk
  return { status: message.statusCode!, headers: message.headers, text, json: parse(text) }
}

/** Resolves with the response when its head has arrived. */
export function open(
  url: string,
  { method, headers = {}, body, agent, signal }: Send,
): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      agent: agent ?? new Agent(),
      headers: {
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        accept: BOTH,
        ...headers,
      },
      ...(signal ? { signal } : {}),
    })
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}

export function rpc(
  method: string,
  params?: Record<string, unknown>,
  id: string | number = 1,
): Record<string, unknown> {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  send(url, { body, headers })

/** Opens a session. Returns the headers for its requests. */
export async function beginSession(
  url: string,
  protocolVersion = '2025-11-25',
  capabilities: Record<string, unknown> = {},
): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } }
  const answer = await post(url, rpc('initialize', params))
  return {
    'mcp-session-id': String(answer.headers['mcp-session-id']),
    'mcp-protocol-version': protocolVersion,
  }
}

const PREFIX = 'io.modelcontextprotocol/'

/** Body of a modern request with its envelope. `meta` extends or replaces parts of it. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Record<string, unknown> {
  const envelope = {
    [`${PREFIX}protocolVersion`]: '2026-07-28',
    [`${PREFIX}clientCapabilities`]: {},
    ...meta,
  }
  return rpc(method, { ...params, _meta: envelope })
}

export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  }
}

/** Sends a modern request with its headers. */
export function postModern(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const name = params.name ?? params.uri
  return post(url, modern(method, params), {
    ...modernHeaders(method, typeof name === 'string' ? name : undefined),
    ...headers,
  })
}

export interface SseEvent {
  id?: string
  retry?: number
  data?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any shape out of an event.
  json?: any
}

/** Reads the events of a stream in order. `next` returns undefined at the end of the stream. */
export function readEvents(message: IncomingMessage): {
  next(): Promise<SseEvent | undefined>
  close(): void
} {
  let buffer = ''
  const chunks = message.setEncoding('utf8')[Symbol.asyncIterator]()
  async function next(): Promise<SseEvent | undefined> {
    for (;;) {
      const end = buffer.indexOf('\n\n')
      if (end >= 0) {
        const block = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        if (!block.startsWith(':')) return parseEvent(block)
        continue
      }
      const chunk = await chunks.next().catch(() => ({ done: true, value: '' }))
      if (chunk.done) return undefined
      buffer += chunk.value
    }
  }
  return { next, close: () => void message.destroy() }
}

/** All messages of a stream or of a JSON response. */
export function messagesOf(text: string): SseEvent[] {
  return text
    .split('\n\n')
    .filter(block => block !== '' && !block.startsWith(':'))
    .map(parseEvent)
}

function parseEvent(block: string): SseEvent {
  const event: SseEvent = {}
  for (const line of block.split('\n')) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (field === 'id') event.id = value
    else if (field === 'retry') event.retry = Number(value)
    else if (field === 'data' && value) Object.assign(event, { data: value, json: parse(value) })
  }
  return event
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Next JSON-RPC message of a stream. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any shape out of a message.
export async function nextMessage(events: ReturnType<typeof readEvents>): Promise<any> {
  for (;;) {
    const event = await events.next()
    if (!event) throw new Error('the stream ended')
    if (event.json) return event.json
  }
}
