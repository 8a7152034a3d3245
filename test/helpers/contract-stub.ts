import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A hosted API as `service-interface.md` documents it, and not a field, path or header more. */
export interface ContractStub {
  url: string
  key: string
  /** Every request that came in, oldest first. */
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: unknown }[]
  close(): Promise<void>
}

export interface StubOptions {
  /** URL that builds and deployments answer with. */
  serverUrl?: string
  buildStatus?: 'building' | 'ready' | 'failed'
  /** What `GET …/status` says one after the other; the last one again and again. */
  deployStatus?: string[]
  scopes?: string[]
  expired?: boolean
  /** Who is let in besides the owner of the key. */
  isGood?(token: string): Promise<boolean>
  /** Where users sign in; told by metadata of RFC 9728, to which a 401 leads. */
  issuer?: string
  /** Answers instead of the API, for example to be overloaded. Returns false to let the API answer. */
  intercept?(request: IncomingMessage, response: ServerResponse): boolean
}

/** An address of its own, so that it is found by the 401 alone. */
const METADATA_PATH = '/about/sign-in'
const KEY = 'hosted-key-0123456789'

export async function startContractStub(options: StubOptions = {}): Promise<ContractStub> {
  const requests: ContractStub['requests'] = []
  const statuses = [...(options.deployStatus ?? ['deployed'])]
  const nextStatus = () => (statuses.length > 1 ? statuses.shift()! : statuses[0]!)

  const server = createServer(async (request, response) => {
    const body = parse(await readBody(request))
    const { method = '', url = '', headers } = request
    requests.push({ method, path: url, headers, body })
    if (options.intercept?.(request, response)) return
    const origin = `http://${headers.host}`
    const { issuer } = options
    if (issuer && url === METADATA_PATH)
      return send(response, 200, {
        resource: origin,
        authorization_servers: [issuer],
        scopes_supported: ['build', 'chat'],
      })
    const token = headers.authorization?.slice('Bearer '.length) ?? ''
    if (token !== KEY && !(await options.isGood?.(token))) {
      if (issuer)
        response.setHeader('www-authenticate', `Bearer resource_metadata="${origin}${METADATA_PATH}"`)
      return refuse(response, 401, 'UNAUTHORIZED', 'The key is not valid.')
    }
    const answer = route(`${method} ${url.split('?')[0]}`, options, nextStatus, body)
    if (!answer) return refuse(response, 404, 'NOT_FOUND', `There is no ${method} ${url}.`)
    send(response, 200, answer)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: KEY,
    requests,
    close() {
      server.closeAllConnections()
      return new Promise(done => server.close(() => done()))
    },
  }
}

function route(operation: string, options: StubOptions, nextStatus: () => string, body: unknown): unknown {
  const url = options.serverUrl ?? 'https://srv-1.example.com/mcp'
  const { name } = (body ?? {}) as { name?: string }
  switch (operation) {
    case 'POST /v1/build':
      return envelope({ mcp_id: 'srv-1', name, status: options.buildStatus ?? 'ready', url, build_time: 1.5 })
    case 'POST /v1/test':
      return envelope({
        ai_response: 'The sum is 5.',
        tools_used: ['add'],
        resources_accessed: [],
        execution_time: 0.5,
        success_rate: 1,
      })
    case 'POST /v1/deploy':
      return envelope({
        deployment_id: 'release-1',
        status: nextStatus(),
        url,
        deploy_time: 2.25,
        health_check: `${url}/health`,
      })
    case 'GET /v1/deploy/release-1/status':
      return envelope({ deployment_id: 'release-1', status: nextStatus() })
    case 'GET /api/deployments/api-key/info':
      return {
        apiKeyId: 'key-1',
        name: 'hosted key',
        scopes: options.scopes ?? ['BUILD_AND_DEPLOY', 'CHAT'],
        userId: 'user-1',
        idpUid: 'idp-1',
        lastUsedAt: '2026-11-01T00:00:00.000Z',
        expiresAt: '2027-11-01T00:00:00.000Z',
        isExpired: options.expired ?? false,
      }
    default:
      return undefined
  }
}

function envelope(data: unknown) {
  return { success: true, data, meta: { request_id: 'request-1', timestamp: '2026-11-21T00:00:00.000Z' } }
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  send(response, status, { success: false, error: { code, message, details: '' } })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text)
}
