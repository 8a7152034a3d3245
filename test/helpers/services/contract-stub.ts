import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A hosted API with exactly the fields, paths and headers that `service-interface.md` documents. It knows the build
 * `mcp-123`, the deployment `dep-9`, the project `p1`, the container build `lb1`, the chat `chat-7` and the subdomain `team`.
 * All other requests get 404 with an HTML page.
 */
export interface ContractStub {
  url: string
  key: string
  /** Received requests, oldest first. */
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: unknown }[]
  close(): Promise<void>
}

export interface StubOptions {
  /** URL in responses for builds and deployments. */
  serverUrl?: string
  buildStatus?: 'building' | 'ready' | 'failed'
  /** Statuses in responses of `POST /v1/deploy` and `GET …/status`, in order. The last one repeats. */
  deployStatus?: string[]
  /** Log pages of the container build in order. The last one repeats. Their shape is undocumented. */
  buildLog?: unknown[]
  scopes?: string[]
  expired?: boolean
  /** True for a valid access token. Accepted in addition to the API key. */
  isGood?(token: string): Promise<boolean>
  /** Authorization server, announced by RFC 9728 metadata that a 401 refers to. */
  issuer?: string
  /** Answers instead of the API, for example with an overload error. Returns false to let the API answer. */
  intercept?(request: IncomingMessage, response: ServerResponse): boolean
}

/** Path of the metadata. Clients can learn it only from a 401 response. */
const METADATA_PATH = '/about/sign-in'
const KEY = 'hosted-key-0123456789'
const PAGE = '<!doctype html><title>404</title><h1>Not found</h1>'
const TIME = '2026-11-21T00:00:00.000Z'

export async function startContractStub(options: StubOptions = {}): Promise<ContractStub> {
  const requests: ContractStub['requests'] = []
  const statuses = [...(options.deployStatus ?? ['deployed'])]
  const nextStatus = () => (statuses.length > 1 ? statuses.shift()! : statuses[0]!)
  const logs = [...(options.buildLog ?? [['Step 1/2', 'Step 2/2']])]
  const nextLog = () => (logs.length > 1 ? logs.shift() : logs[0])

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const text = await readBody(request)
    const body = headers['content-type'] === 'application/json' ? JSON.parse(text) : undefined
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
    const operation = `${method} ${url.split('?')[0]}`
    const answer = route(operation, { ...options, nextStatus, nextLog }, body)
    if (!answer) return response.writeHead(404, { 'content-type': 'text/html' }).end(PAGE)
    send(response, operation.includes('/trigger/') ? 201 : 200, answer)
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

interface State extends StubOptions {
  nextStatus(): string
  nextLog(): unknown
}

function route(operation: string, options: State, body: unknown): unknown {
  const { nextStatus, nextLog } = options
  const url = options.serverUrl ?? 'https://srv-1.example.com/mcp'
  const { name } = (body ?? {}) as { name?: string }
  switch (operation) {
    case 'POST /v1/build':
      return envelope({
        mcp_id: 'mcp-123',
        name,
        status: options.buildStatus ?? 'ready',
        url,
        build_time: 1.5,
      })
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
        deployment_id: 'dep-9',
        status: nextStatus(),
        url,
        deploy_time: 2.25,
        health_check: `${url}/health`,
      })
    case 'GET /v1/deploy/dep-9/status':
      return envelope({ deployment_id: 'dep-9', status: nextStatus() })
    case 'POST /api/lambda-builds/trigger/p1':
      return containerBuild()
    case 'GET /api/lambda-builds/lb1/logs':
      return nextLog()
    case 'PATCH /api/projects/p1':
      return { id: 'p1', ...(body as object) }
    case 'GET /api/chat-messages/chat/id/chat-7/count':
      return { chatId: 'chat-7', messageCount: 4, countedAt: TIME }
    case 'DELETE /api/lambda-mapping/team':
      return {}
    case 'GET /api/lambda-deploy/dep-9/health':
      return { status: 'healthy', region: 'eu' }
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

/** A field without a value is `""`, as in the contract's example. */
function containerBuild() {
  const empty = [
    'imageRepository',
    'imageUri',
    'logGroupName',
    'logStreamName',
    'errorMessage',
    'startTime',
    'endTime',
  ]
  return {
    id: 'lb1',
    projectId: 'p1',
    cloudBuildId: 'cloud:1',
    status: 'pending',
    storageSourceLocation: 's3://bucket/p1.zip',
    currentPhase: 'SUBMITTED',
    createdAt: TIME,
    updatedAt: TIME,
    ...Object.fromEntries(empty.map(name => [name, ''])),
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
