import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { nodeListener } from '../../../../src/sdk/oauth/adapters/node.ts'
import type {
  AuthorizationServer,
  AuthorizationServerOptions,
} from '../../../../src/sdk/oauth/authorization-server.ts'
import { nodeBearer } from '../../../../src/sdk/oauth/resource/bearer.ts'
import { createProtectedResource } from '../../../../src/sdk/oauth/resource/protected-resource.ts'
import { type Mounted, mountAuthorizationServer } from './mounted.ts'

/** Starts an MCP server at `/mcp`, protected by an authorization server with client registration in the same application. */
export function mountProtectedServer(options: Partial<AuthorizationServerOptions> = {}): Promise<Mounted> {
  return mountAuthorizationServer(
    { enableDCR: true, refreshTokenTTL: 30 * 24 * 3600, ...options },
    protectedApplication,
  )
}

/** The protected MCP server, and an authorization server or proxy on the same origin. */
export function protectedApplication(server: AuthorizationServer): RequestListener {
  const resource = createProtectedResource({
    resource: `${new URL(server.issuer).origin}/mcp`,
    authorizationServer: server,
    requiredScopes: ['openid'],
  })
  const mcp = getRequestListener(request => mcpHandler.fetch(request))
  return async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?')[0] ?? '/'
    if (server.has(path)) return nodeListener(server)(request, response)
    if (resource.has(path)) return nodeListener(resource)(request, response)
    if (path === '/mcp' && (await nodeBearer(resource, request, response))) await mcp(request, response)
    if (!response.headersSent) response.writeHead(404).end()
  }
}

const mcpHandler = createMcpHandler(buildServer, { legacy: 'stateless' })

function buildServer(): Server {
  const server = new Server({ name: 'protected', version: '1.0.0' }, { capabilities: { tools: {} } })
  const inputSchema = { type: 'object' as const }
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'secret', inputSchema }] }))
  server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'forty-two' }] }))
  return server
}
