import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientContext } from '../../../../src/instance/server/client-context.ts'
import type { HttpHandler, ToolDefinition } from '../../../../src/shared/definitions/definitions.ts'
import { httpHandlerSchema } from '../../../../src/shared/definitions/handlers.ts'
import { callTool } from '../../../helpers/instance/prepared.ts'

interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type Respond = (request: Received, response: ServerResponse) => void

interface Call {
  tool?: Partial<ToolDefinition>
  env?: Record<string, string>
  call?: ClientContext
  allowPrivateNetwork?: boolean
}

/** An API on loopback that answers with `respond`, and tools that call it. */
export class CalledApi {
  respond: Respond = (_request, response) => response.end()
  /** Requests since the last `forget`. */
  received: Received[] = []
  base = ''
  readonly #server = createServer((request, response) => this.#answer(request, response))

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.base = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  forget(): void {
    this.received = []
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Calls a tool with this handler. The default URL is the API's root. */
  call(handler: object, args: Record<string, unknown> = {}, options: Call = {}) {
    const { env = {}, call, tool, allowPrivateNetwork = true } = options
    const all = { API: this.base, ...env }
    return callTool({ handler: define(handler), ...tool }, args, {
      artifact: { env: Object.keys(all).map(name => ({ name, required: true })) },
      tenant: { env: all, allowPrivateNetwork },
      ...(call && { call }),
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    this.received.push({ method, url, headers, body })
    this.respond(this.received.at(-1)!, response)
  }
}

export const json =
  (value: unknown, status = 200): Respond =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }

export function define(handler: object): HttpHandler {
  return httpHandlerSchema.parse({ type: 'http', url: '{{ env.API }}/', ...handler })
}
