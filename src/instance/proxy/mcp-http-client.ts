import { request } from 'undici'
import type { Era } from '../../shared/artifact.ts'
import { VERSION } from '../../shared/version.ts'
import type { Result } from '../bridge/rpc-channel.ts'
import { META } from '../protocol/envelope.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { LATEST_LEGACY, MODERN_REVISIONS } from '../protocol/revisions.ts'

const TIMEOUT_MS = 30_000
const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024
const CLIENT = { name: 'mcp-hosting', version: VERSION }

/** As whom it speaks in the era of sessions. */
export interface LegacyClient {
  protocolVersion: string
  capabilities: Record<string, unknown>
}

/** Asks a server over Streamable HTTP what it offers: in the era of sessions, or in the modern one where it has no other. */
export class McpHttpClient {
  readonly #url: string
  readonly #client: LegacyClient
  #headers: Record<string, string> = {}
  #isModern = false
  #lastId = 0

  constructor(url: string, client: LegacyClient = { protocolVersion: LATEST_LEGACY, capabilities: {} }) {
    this.#url = url
    this.#client = client
  }

  /** What its requests go with: the session's id, where there is one, and the revision that was agreed on. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  /** Gives what the server says of itself, in the shape of `initialize`'s result. */
  async open(): Promise<Result> {
    try {
      return await this.beginSession()
    } catch (error) {
      this.#isModern = true
      const facts = await this.request('server/discover').catch(() => {
        throw error // of the two the one that most servers would have understood
      })
      const meta = isObject(facts._meta) ? facts._meta : {}
      return { serverInfo: meta[META.serverInfo], ...facts }
    }
  }

  /** The handshake of the legacy era. */
  async beginSession(): Promise<Result> {
    const facts = await this.request('initialize', { ...this.#client, clientInfo: CLIENT })
    this.#headers['mcp-protocol-version'] = String(facts.protocolVersion)
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return facts
  }

  /** After `open`: the eras that the server speaks. */
  async eras(): Promise<Era[]> {
    if (this.#isModern) return ['modern']
    const modern = new McpHttpClient(this.#url)
    modern.#isModern = true
    const isSpoken = await modern.request('server/discover').then(
      () => true,
      () => false,
    )
    return isSpoken ? ['legacy', 'modern'] : ['legacy']
  }

  async request(method: string, params: Result = {}): Promise<Result> {
    const id = ++this.#lastId
    const { status, text } = await this.#post(
      { jsonrpc: '2.0', id, method, params: this.#withEnvelope(params) },
      method,
    )
    const answer = findAnswer(text, id)
    if (!answer) throw new Error(`it answered ${method} with HTTP ${status}`)
    if (isObject(answer.result)) return answer.result
    throw new Error(`it refused ${method}: ${isObject(answer.error) ? answer.error.message : 'no reason'}`)
  }

  #withEnvelope(params: Result): Result {
    if (!this.#isModern) return params
    const _meta = {
      [META.protocolVersion]: MODERN_REVISIONS[0],
      [META.clientCapabilities]: {},
      [META.clientInfo]: CLIENT,
    }
    return { ...params, _meta }
  }

  async #post(message: Result, method?: string): Promise<{ status: number; text: string }> {
    const modern = { 'mcp-protocol-version': MODERN_REVISIONS[0], 'mcp-method': method ?? '' }
    const { statusCode, headers, body } = await request(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(this.#isModern ? modern : this.#headers),
      },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const session = headers['mcp-session-id']
    if (typeof session === 'string') this.#headers['mcp-session-id'] = session
    const isStream = String(headers['content-type']).startsWith('text/event-stream')
    return { status: statusCode, text: await readAnswer(body, isStream ? Number(message.id) : undefined) }
  }
}

/** All of it; of a stream of events what comes up to the answer, for it may not end by itself. */
async function readAnswer(body: AsyncIterable<Buffer>, id: number | undefined): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_ANSWER_CHARACTERS) throw new Error('its answer is too long')
    if (id !== undefined && text.endsWith('\n\n') && findAnswer(text, id)) break
  }
  return text
}

function findAnswer(text: string, id: number): Result | undefined {
  const events = text
    .split(/\r?\n\r?\n/)
    .map(event => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n'))
  return [text, ...events].map(parse).find(message => isObject(message) && message.id === id) as
    | Result
    | undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not the answer
  }
}
