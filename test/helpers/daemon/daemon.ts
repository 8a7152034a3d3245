import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDaemon, type Daemon } from '../../../src/daemon/daemon.ts'
import type { DaemonConfig } from '../../../src/daemon/daemon-config.ts'
import { type HomePaths, homePaths } from '../../../src/shared/paths.ts'

const DATABASE_PROGRAM = fileURLToPath(new URL('../../../dist/database.js', import.meta.url))
const INSTANCE_PROGRAM = fileURLToPath(new URL('../../../dist/instance.js', import.meta.url))

export interface ApiAnswer {
  status: number
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response
  body: any
  text: string
}

export interface ApiInput {
  /** Sent as JSON. Strings and bytes are sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
  /** The owner's by default. Null sends none. */
  key?: string | null
}

/** A daemon in this process with its own home and port, and a plain HTTP client for it. */
export interface TestDaemon {
  url: string
  ownerKey: string
  home: HomePaths
  daemon: Daemon
  errors: { message: string; fields: Record<string, unknown> }[]
  api(method: string, path: string, input?: ApiInput): Promise<ApiAnswer>
  /** Closes the daemon and starts another one on the same home. */
  restart(changes?: Partial<DaemonConfig>): Promise<void>
  /** Closes the daemon and removes its home, unless the test passed the home. */
  close(): Promise<void>
}

export async function startTestDaemon(changes: Partial<DaemonConfig> = {}): Promise<TestDaemon> {
  const home = changes.home ?? homePaths({ MCP_HOME: mkdtempSync(join(tmpdir(), 'mcp-daemon-')) })
  const errors: TestDaemon['errors'] = []
  const config: DaemonConfig = {
    home,
    port: 0,
    instanceProgram: INSTANCE_PROGRAM,
    databaseProgram: DATABASE_PROGRAM,
    nonce: 'test-nonce',
    startedAt: new Date().toISOString(),
    warmSpares: 0,
    log: (_level, message, fields) => errors.push({ message, fields }),
    ...changes,
  }
  let daemon = await createDaemon(config)
  return {
    home,
    errors,
    get url() {
      return daemon.url
    },
    get ownerKey() {
      return daemon.ownerKey
    },
    get daemon() {
      return daemon
    },
    api: (method, path, input = {}) => callApi(daemon, method, path, input),
    async restart(more = {}) {
      await daemon.close()
      daemon = await createDaemon({ ...config, ...more })
    },
    async close() {
      await daemon.close()
      if (!changes.home) rmSync(home.home, { recursive: true, force: true })
    },
  }
}

function callApi(daemon: Daemon, method: string, path: string, input: ApiInput): Promise<ApiAnswer> {
  const { key = daemon.ownerKey, body } = input
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const payload = body === undefined || raw ? body : JSON.stringify(body)
  const headers: Record<string, string> = { ...input.headers }
  if (key !== null) headers.authorization = `Bearer ${key}`
  if (payload !== undefined) {
    headers['content-type'] ??= 'application/json'
    headers['content-length'] = String(Buffer.byteLength(payload as string))
  }
  return send(new URL(path, daemon.url), { method, headers, agent: false }, payload as string | undefined)
}

function send(url: URL, options: RequestOptions, payload: string | undefined): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const body = text ? bodyOf(response.headers['content-type'] ?? '', text) : undefined
        resolve({ status: response.statusCode!, headers: response.headers, body, text })
      })
    })
    sent.on('error', reject)
    sent.end(payload)
  })
}

/** Parses a JSON document, or the last event of a stream. */
function bodyOf(contentType: string, text: string) {
  if (contentType.includes('json')) return JSON.parse(text)
  const events = contentType.includes('event-stream') ? [...text.matchAll(/^data: ?(.+)$/gm)] : []
  return events.length > 0 ? JSON.parse(events.at(-1)![1]!) : undefined
}

/** Sends `initialize` and a `tools/call` in revision 2025-06-18, without a client library. Returns the result of the call. */
export async function callTool(mcpUrl: string, name: string, args: Record<string, unknown> = {}) {
  const init = await rpc(mcpUrl, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '0' },
  })
  const session = init.headers['mcp-session-id']
  const headers: Record<string, string> = typeof session === 'string' ? { 'mcp-session-id': session } : {}
  const answer = await rpc(mcpUrl, 'tools/call', { name, arguments: args }, headers)
  return answer.body.result
}

function rpc(url: string, method: string, params: unknown, headers: Record<string, string> = {}) {
  return send(
    new URL(url),
    {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  )
}
