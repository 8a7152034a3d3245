import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'
import {
  createAuthorizationServer,
  createProtectedResource,
  expressBearer,
  expressHandler,
  openIdProvider,
  sqliteStorage,
} from 'mcp-hosting/oauth'

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}`, DATABASE = 'oauth.db' } = process.env

const authorizationServer = createAuthorizationServer({
  issuer: PUBLIC_URL,
  upstreamProvider: openIdProvider({
    id: 'company',
    name: 'the company account',
    issuer: process.env.OIDC_ISSUER,
    clientId: process.env.OIDC_CLIENT_ID,
    clientSecret: process.env.OIDC_CLIENT_SECRET,
  }),
  signingSecret: process.env.SIGNING_SECRET,
  enableDCR: true,
  refreshTokenTTL: 30 * 24 * 3600,
  storage: sqliteStorage({ path: DATABASE }),
  log: event => console.error(event),
})

const resource = createProtectedResource({ resource: `${PUBLIC_URL}/mcp`, authorizationServer })

const app = express()
app.use(express.json())
app.use(expressHandler(authorizationServer), expressHandler(resource))

app.post('/mcp', expressBearer(resource), async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await createServer().connect(transport)
  await transport.handleRequest(request, response, request.body)
})

app.listen(Number(PORT), '127.0.0.1', () => console.log(`${PUBLIC_URL}/mcp`))

function createServer() {
  const server = new McpServer({ name: 'oauth-express', version: '1.0.0' })
  server.registerTool('whoami', { description: 'Returns the signed-in user' }, ({ authInfo }) => ({
    content: [
      { type: 'text', text: `You are ${authInfo.extra.subject}, with ${authInfo.scopes.join(', ')}.` },
    ],
  }))
  return server
}
