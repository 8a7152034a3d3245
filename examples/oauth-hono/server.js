import { serve } from '@hono/node-server'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import {
  createAuthError,
  createOAuthProxy,
  createProtectedResource,
  getToken,
  honoHandler,
  openIdProvider,
} from 'mcp-hosting/oauth'

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

const proxy = createOAuthProxy({
  baseUrl: PUBLIC_URL,
  sessionSecret: process.env.SESSION_SECRET,
  providers: [
    openIdProvider({
      id: 'company',
      name: 'the company account',
      issuer: process.env.OIDC_ISSUER,
      clientId: process.env.OIDC_CLIENT_ID,
      clientSecret: process.env.OIDC_CLIENT_SECRET,
    }),
  ],
  // Adds a field of the application. The component issues the access token.
  tokenMapper: (_tokens, user) => ({ user_id: user.sub }),
})

const resource = createProtectedResource({ resource: `${PUBLIC_URL}/mcp`, authorizationServer: proxy })

const mcp = createMcpHandler(createServer, { legacy: 'stateless' })

const app = new Hono()
app.use(honoHandler(proxy))
app.use(honoHandler(resource))
app.all('/mcp', context => mcp.fetch(context.req.raw))
serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, () => console.log(`${PUBLIC_URL}/mcp`))

/** The list of tools is public. The tool that needs a user asks for a token itself. */
function createServer() {
  const server = new Server({ name: 'oauth-hono', version: '1.0.0' }, { capabilities: { tools: {} } })
  const whoami = {
    name: 'whoami',
    description: 'Returns the signed-in user',
    inputSchema: { type: 'object' },
  }
  server.setRequestHandler('tools/list', () => ({ tools: [whoami] }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const token = getToken(params._meta)
    if (token === undefined) return askToSignIn('Sign in first.')
    const auth = await resource.authenticate(`Bearer ${token}`)
    if (!('token' in auth)) return askToSignIn('Sign in again.')
    return { content: [{ type: 'text', text: `You are ${auth.extra.subject}.` }] }
  })
  return server
}

function askToSignIn(message) {
  return createAuthError({ message, resourceMetadataUrl: resource.metadataUrl, error: 'invalid_token' })
}
