import { Agent, type IncomingMessage, request } from 'node:http'

export interface Reply {
  status: number
  sessionId: string | undefined
  text: string
}

const TIMEOUT_MS = 45_000

/** One kept-alive connection, one request at a time. */
export class HttpLane {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  /** Rejects if no complete answer arrives. */
  send(
    url: string,
    headers: Record<string, string>,
    body: string | undefined,
    method = 'POST',
  ): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { method, agent: this.#agent, headers: { ...headers, ...length }, timeout: TIMEOUT_MS }
    const sent = request(url, options, response => void readAll(response).then(resolve, reject))
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)))
    sent.on('error', reject)
    sent.end(body)
    return promise
  }

  close(): void {
    this.#agent.destroy()
  }
}

async function readAll(response: IncomingMessage): Promise<Reply> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) text += chunk
  const sessionId = response.headers['mcp-session-id'] as string | undefined
  return { status: response.statusCode!, sessionId, text }
}
