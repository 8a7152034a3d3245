import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'

/** Starts an SDK server for both protocol eras, so that the client is not only tested against this project's own server. */
export async function startSdkServer(): Promise<{ url: string; close(): Promise<void> }> {
  const handler = createMcpHandler(buildServer, { legacy: 'stateless' })
  const http = createServer(getRequestListener(request => handler.fetch(request)))
  await new Promise<void>(done => http.listen(0, '127.0.0.1', done))
  const { port } = http.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => closeServer(http) }
}

export function closeServer(http: HttpServer): Promise<void> {
  http.closeAllConnections()
  return new Promise(done => http.close(() => done()))
}

const TOOLS = [
  {
    name: 'add',
    description: 'Adds two numbers',
    inputSchema: {
      type: 'object' as const,
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
  { name: 'work', description: 'Logs and reports progress', inputSchema: { type: 'object' as const } },
  { name: 'fail', description: 'Always fails', inputSchema: { type: 'object' as const } },
]

function buildServer(): Server {
  const server = new Server(
    { name: 'sdk-server', version: '1.0.0' },
    { capabilities: { tools: {}, logging: {} } },
  )
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: args = {} } = request.params
    if (name === 'add') return { content: [{ type: 'text', text: String(Number(args.a) + Number(args.b)) }] }
    if (name === 'fail') return { isError: true, content: [{ type: 'text', text: 'it broke' }] }
    await context.mcpReq.log('info', 'at work', 'worker')
    const token = request.params._meta?.progressToken
    if (token !== undefined)
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress: 1, total: 2, message: 'half' },
      })
    return { content: [{ type: 'text', text: 'worked' }] }
  })
  return server
}
