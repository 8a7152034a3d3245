import { request } from 'undici'
import type { Era } from '../../shared/definitions/artifact.ts'
import { META, MODERN_REVISIONS } from '../../shared/modern-envelope.ts'
import { VERSION } from '../../shared/version.ts'
import { isObject, type JsonObject, tryParseJson } from '../protocol/json-rpc.ts'
import { LATEST_LEGACY } from '../protocol/revisions.ts'

const TIMEOUT_MS = 30_000
const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024
const CLIENT = { name: 'mcp-hosting', version: VERSION }

/** Revision and capabilities that a legacy client declares. */
export interface LegacyClient {
  protocolVersion: string
  capabilities: Record<string, unknown>
}

/** Queries a server over Streamable HTTP: in the legacy era, or in the modern era if the server supports no other. */
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

  /** Headers of the client's requests: the session id, if there is one, and the negotiated revision. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  /** Returns the server's description in the shape of an `initialize` result. */
  async open(): Promise<JsonObject> {
    try {
      return await this.beginSession()
    } catch (error) {
      this.#isModern = true
      const facts = await this.request('server/discover').catch(() => {
        throw error // most servers understand the first request, so its error is more informative
      })
      const meta = isObject(facts._meta) ? facts._meta : {}
      return { serverInfo: meta[META.serverInfo], ...facts }
    }
  }

  /** Completes the handshake of the legacy era. */
  async beginSession(): Promise<JsonObject> {
    const facts = await this.request('initialize', { ...this.#client, clientInfo: CLIENT })
    this.#headers['mcp-protocol-version'] = String(facts.protocolVersion)
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return facts
  }

  /** Eras of the server. Must be called after `open`. */
  async eras(): Promise<Era[]> {
    if (this.#isModern) return ['modern']
    const modern = new McpHttpClient(this.#url)
    modern.#isModern = true
    const isSupported = await modern.request('server/discover').then(
      () => true,
      () => false,
    )
    return isSupported ? ['legacy', 'modern'] : ['legacy']
  }

  async request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = ++this.#lastId
    const { status, text } = await this.#post(
      { jsonrpc: '2.0', id, method, params: this.#withEnvelope(params) },
      method,
    )
    const answer = findAnswer(text, id)
    if (!answer) throw new Error(`it answered ${method} with HTTP ${status}`)
    if (isObject(answer.result)) return answer.result
    throw new Error(
      `it refused ${method}: ${isObject(answer.error) ? answer.error.message : 'no reason given'}`,
    )
  }

  #withEnvelope(params: JsonObject): JsonObject {
    if (!this.#isModern) return params
    const _meta = {
      [META.protocolVersion]: MODERN_REVISIONS[0],
      [META.clientCapabilities]: {},
      [META.clientInfo]: CLIENT,
    }
    return { ...params, _meta }
  }

  async #post(message: JsonObject, method?: string): Promise<{ status: number; text: string }> {
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

/** Reads the whole body. An event stream is read up to the answer, because it may not end by itself. */
async function readAnswer(body: AsyncIterable<Buffer>, id: number | undefined): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_ANSWER_CHARACTERS)
      throw new Error(`its answer is longer than ${MAX_ANSWER_CHARACTERS} characters`)
    if (id !== undefined && text.endsWith('\n\n') && findAnswer(text, id)) break
  }
  return text
}

function findAnswer(text: string, id: number): JsonObject | undefined {
  const events = text
    .split(/\r?\n\r?\n/)
    .map(event => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n'))
  return [text, ...events].map(tryParseJson).find(message => isObject(message) && message.id === id) as
    | JsonObject
    | undefined
}
