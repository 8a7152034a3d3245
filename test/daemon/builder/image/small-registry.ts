import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** In-memory registry that follows the distribution specification. Tests can make it fail. */
export interface SmallRegistry extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  host: string
  blobs: Map<string, Buffer>
  manifests: Map<string, Buffer>
  /** Received requests as `METHOD path`. */
  requests: string[]
  /** Answers the next matching request with this status. */
  failNext(pattern: RegExp, status: number): void
  /** Answers all matching requests with a handler. */
  respondWith(pattern: RegExp, answer: (request: IncomingMessage, response: ServerResponse) => void): void
}

export async function startRegistry(
  options: { basic?: string; token?: string } = {},
): Promise<SmallRegistry> {
  const blobs = new Map<string, Buffer>()
  const manifests = new Map<string, Buffer>()
  const requests: string[] = []
  const failures: { pattern: RegExp; status: number }[] = []
  const overrides: {
    pattern: RegExp
    answer: (request: IncomingMessage, response: ServerResponse) => void
  }[] = []
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${request.url}`
    requests.push(line)
    const override = overrides.find(({ pattern }) => pattern.test(line))
    if (override) return override.answer(request, response)
    const failure = failures.findIndex(({ pattern }) => pattern.test(line))
    if (failure >= 0)
      return void response.writeHead(failures.splice(failure, 1)[0]!.status).end('simulated failure')
    if (request.url!.startsWith('/token')) return answerToken(request, response, options)
    if (!isAllowed(request, options)) return challenge(request, response, options)
    await answer(request, response, { blobs, manifests })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    blobs,
    manifests,
    requests,
    failNext: (pattern, status) => failures.push({ pattern, status }),
    respondWith: (pattern, answer) => overrides.push({ pattern, answer }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Stores = Pick<SmallRegistry, 'blobs' | 'manifests'>

async function answer(request: IncomingMessage, response: ServerResponse, { blobs, manifests }: Stores) {
  const url = new URL(request.url!, 'http://localhost')
  const [, repository, kind, reference] = /^\/v2\/(.+?)\/(blobs|manifests|uploads)\/(.*)$/.exec(
    url.pathname.replace('blobs/uploads', 'uploads'),
  )!
  const method = request.method!
  if (kind === 'uploads' && method === 'POST') {
    const mounted = url.searchParams.get('mount')
    if (mounted && blobs.has(mounted)) return response.writeHead(201).end()
    return response.writeHead(202, { location: `/v2/${repository}/blobs/uploads/1?state=x` }).end()
  }
  if (kind === 'uploads') {
    const bytes = await buffer(request)
    const digest = digestOf(bytes)
    if (digest !== url.searchParams.get('digest')) return response.writeHead(400).end('digest invalid')
    blobs.set(digest, bytes)
    return response.writeHead(201).end()
  }
  if (method === 'PUT') {
    const bytes = await buffer(request)
    for (const key of [reference!, digestOf(bytes)]) manifests.set(key, bytes)
    return response.writeHead(201).end()
  }
  const found = (kind === 'blobs' ? blobs : manifests).get(decodeURIComponent(reference!))
  if (!found) return response.writeHead(404).end()
  response.writeHead(200, { 'content-length': found.length, 'docker-content-digest': digestOf(found) })
  return response.end(method === 'HEAD' ? undefined : found)
}

function isAllowed(
  { headers }: IncomingMessage,
  { basic, token }: { basic?: string; token?: string },
): boolean {
  if (token) return headers.authorization === `Bearer ${token}`
  return !basic || headers.authorization === basicOf(basic)
}

function challenge(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { token }: { token?: string },
): void {
  const bearer = `Bearer realm="http://${headers.host}/token",service="small",scope="repository:team/weather:pull,push"`
  response.writeHead(401, { 'www-authenticate': token ? bearer : 'Basic realm="small"' }).end()
}

function answerToken(
  request: IncomingMessage,
  response: ServerResponse,
  { basic, token }: { basic?: string; token?: string },
) {
  const isKnown = !basic || request.headers.authorization === basicOf(basic)
  response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ token }))
}

function basicOf(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
