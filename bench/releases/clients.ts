import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}
const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'

export interface ClientsOptions {
  url: string
  /** Number of clients of the modern era. */
  modern: number
  /** Number of legacy clients that keep their session to the end. */
  longSessions: number
  /** Number of legacy clients that start a new session after `callsPerShortSession` calls. */
  shortSessions: number
  callsPerShortSession: number
}

/** Number of calls over one connection. A session outlives its connections. */
const RECONNECT_EVERY = 25

/** A request without an answer, or with an unexpected one. */
export interface Fault {
  era: string
  reason: string
  /** Times are from `performance.now()`. */
  startedAt: number
  endedAt: number
  /** Time at which the request's connection was opened, and the client's port. The port is undefined if the connection failed. */
  openedAt: number
  port: number | undefined
  isOfSession: boolean
}

/** Counts of all clients together. */
export interface Tally {
  requests: number
  sessions: number
  faults: Fault[]
  /** Sessions in which a request, such as the DELETE, was answered with 404. */
  lost: number
  /** Calls that were answered by a release other than the one that answered the first call in their session. */
  moved: number
  /** Calls without a session that were sent after a release went live, but answered by an earlier one. */
  stale: StaleAnswer[]
}

/** An answer from the wrong release. */
interface StaleAnswer {
  /** The release that answered, and the expected one. */
  version: string
  due: string
  /** Milliseconds from the response to the deploy request until the call was sent, and until it was answered. */
  sentAfter: number
  answeredAfter: number
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/**
 * Clients of both eras, each with one kept-alive connection and one request at a time. The server's tool `version` returns the
 * release that answers, so that wrong answers can be detected.
 */
export class Clients {
  readonly tally: Tally = { requests: 0, sessions: 0, faults: [], lost: 0, moved: 0, stale: [] }
  readonly #options: ClientsOptions
  readonly #lanes: Promise<void>[] = []
  readonly #releases: { version: string; at: number }[] = []
  #releasingVersion: string | undefined
  #isOver = false

  constructor(options: ClientsOptions) {
    this.#options = options
  }

  /** `version`: answer of the live release. */
  start(version: string): void {
    this.released(version)
    const { modern, longSessions, shortSessions, callsPerShortSession } = this.#options
    for (let count = 0; count < modern; count++) this.#lanes.push(this.#modernLane())
    for (let count = 0; count < longSessions; count++)
      this.#lanes.push(this.#sessionLane(Number.POSITIVE_INFINITY))
    for (let count = 0; count < shortSessions; count++)
      this.#lanes.push(this.#sessionLane(callsPerShortSession))
  }

  /** Must be called before the deploy request. This version may then answer, even if an earlier release had the same version. */
  releasing(version: string): void {
    this.#releasingVersion = version
  }

  /** Must be called after the deploy request was answered. Only this version may then answer clients without a session. */
  released(version: string): void {
    this.#releasingVersion = undefined
    this.#releases.push({ version, at: performance.now() })
  }

  /** Resolves when the total number of requests is reached. */
  async reached(requests: number): Promise<void> {
    while (this.tally.requests < requests) await new Promise(resolve => setTimeout(resolve, 20))
  }

  /** Ends every session. Resolves with the counts after the last answer. */
  async stop(): Promise<Tally> {
    this.#isOver = true
    await Promise.all(this.#lanes)
    return this.tally
  }

  async #modernLane(): Promise<void> {
    const client = new Client(this.#options.url, MODERN, this.tally)
    while (!this.#isOver) {
      const due = this.#releases.length - 1
      const sentAt = performance.now()
      const version = await client.call()
      if (version !== undefined) this.#judge(version, due, sentAt)
    }
    client.close()
  }

  /**
   * Counts an answer from an earlier release as stale. A version that is released while the call is running may answer as well.
   */
  #judge(version: string, due: number, sentAt: number): void {
    const isKnown = (from: number) => this.#releases.slice(from).some(release => release.version === version)
    if (isKnown(due) || version === this.#releasingVersion || !isKnown(0)) return
    const { version: expected, at } = this.#releases[due]!
    const times = { sentAfter: sentAt - at, answeredAfter: performance.now() - at }
    this.tally.stale.push({ version, due: expected, ...times })
  }

  async #sessionLane(calls: number): Promise<void> {
    while (!this.#isOver) await this.#session(calls)
  }

  async #session(calls: number): Promise<void> {
    const client = new Client(this.#options.url, LEGACY, this.tally)
    if (!(await client.begin())) return client.close()
    this.tally.sessions++
    let began: string | undefined
    for (let count = 0; count < calls && !this.#isOver && client.isInSession; count++) {
      const version = await client.call()
      if (version === undefined) continue
      if (count % RECONNECT_EVERY === RECONNECT_EVERY - 1) client.reconnect()
      began ??= version
      if (version !== began) this.tally.moved++
    }
    await client.end()
    client.close()
  }
}

class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #url: string
  readonly #era: string
  readonly #tally: Tally
  #session: string | undefined
  #openedAt = 0
  #port: number | undefined

  constructor(url: string, era: string, tally: Tally) {
    this.#url = url
    this.#era = era
    this.#tally = tally
  }

  get isInSession(): boolean {
    return this.#session !== undefined
  }

  async begin(): Promise<boolean> {
    const params = {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: 'load', version: '1' },
    }
    const answer = await this.#count({ method: 'initialize', params })
    this.#session = answer && String(answer.headers['mcp-session-id'])
    return this.isInSession
  }

  /** Result of the tool `version`. Undefined for a fault. */
  async call(): Promise<string | undefined> {
    const params = { name: 'version', arguments: {}, ...(this.#era === MODERN && { _meta: META }) }
    const answer = await this.#count({ method: 'tools/call', params })
    return answer && JSON.parse(answer.text).result.content[0].text
  }

  async end(): Promise<void> {
    if (this.#session !== undefined) await this.#count(undefined)
    this.#session = undefined
  }

  /** Makes the next request open a new connection, which leads to the live release. */
  reconnect(): void {
    this.#agent.destroy()
  }

  close(): void {
    this.#agent.destroy()
  }

  async #count(message: object | undefined): Promise<Answer | undefined> {
    const startedAt = performance.now()
    this.#tally.requests++
    try {
      const answer = await this.#send(message)
      if (answer.status === 200) return answer
      if (answer.status === 404) this.#lose()
      this.#fault(`HTTP ${answer.status} ${answer.text.slice(0, 200)}`, startedAt)
    } catch (error) {
      const { code, message: text } = error as NodeJS.ErrnoException
      this.#fault(`${code ?? ''} ${text}`, startedAt)
    }
    return undefined
  }

  #watch(socket: Socket): void {
    this.#openedAt = performance.now()
    this.#port = undefined
    socket.once('connect', () => {
      this.#port = socket.localPort
    })
  }

  #lose(): void {
    this.#tally.lost++
    this.#session = undefined
  }

  #fault(reason: string, startedAt: number): void {
    const endedAt = performance.now()
    const connection = { openedAt: this.#openedAt, port: this.#port, isOfSession: this.isInSession }
    this.#tally.faults.push({ era: this.#era, reason, startedAt, endedAt, ...connection })
  }

  #send(message: object | undefined): Promise<Answer> {
    const body = message && JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const sent = request(this.#url, {
      method: body === undefined ? 'DELETE' : 'POST',
      agent: this.#agent,
      headers: this.#headers(body),
    })
    sent.on('error', reject)
    sent.on('socket', socket => {
      if (!sent.reusedSocket) this.#watch(socket)
    })
    sent.on('response', response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
    })
    sent.end(body)
    return promise
  }

  #headers(body: string | undefined): Record<string, string> {
    return {
      ...JSON_HEADERS,
      'mcp-protocol-version': this.#era,
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(this.#era === MODERN && { 'mcp-method': 'tools/call', 'mcp-name': 'version' }),
    }
  }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
}
