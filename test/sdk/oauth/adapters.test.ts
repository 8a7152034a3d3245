import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { expressHandler } from '../../../src/sdk/oauth/adapters/express.ts'
import { honoHandler } from '../../../src/sdk/oauth/adapters/hono.ts'
import { nodeListener } from '../../../src/sdk/oauth/adapters/node.ts'
import {
  type AuthorizationServer,
  createAuthorizationServer,
} from '../../../src/sdk/oauth/authorization-server.ts'
import { expressBearer, honoBearer, nodeBearer } from '../../../src/sdk/oauth/resource/bearer.ts'
import {
  type AuthInfo,
  createProtectedResource,
  type ProtectedResource,
} from '../../../src/sdk/oauth/resource/protected-resource.ts'
import { approve, errorOf, isCallback, post, redeem, startFlow, type Tokens } from './support/flow.ts'
import { close, listen, startIdentityProvider } from './support/identity-provider.ts'
import { CALLBACK, SIGNING_SECRET } from './support/mounted.ts'

type Application = (server: AuthorizationServer, resource: ProtectedResource) => RequestListener

/** Applications that mount the component and answer `/mcp` with the user's subject. */
const applications: Record<string, Application> = {
  'node:http': (server, resource) => async (request, response) => {
    const path = request.url!.split('?')[0]!
    if (server.has(path)) return nodeListener(server)(request, response)
    if (resource.has(path)) return nodeListener(resource)(request, response)
    const auth = await nodeBearer(resource, request, response)
    if (auth) response.end(auth.extra.subject)
  },
  'Express before body parsers': (server, resource) => {
    const app = express()
    app.use(expressHandler(server), expressHandler(resource))
    app.use(express.json(), express.urlencoded())
    return withExpressRoute(app, resource)
  },
  'Express after body parsers': (server, resource) => {
    const app = express()
    app.use(express.json(), express.urlencoded({ extended: true }))
    app.use(expressHandler(server), expressHandler(resource))
    return withExpressRoute(app, resource)
  },
  'Express after parsers of raw text': (server, resource) => {
    const app = express()
    app.use(
      express.text({ type: 'application/x-www-form-urlencoded' }),
      express.raw({ type: 'application/json' }),
    )
    app.use(expressHandler(server), expressHandler(resource))
    return withExpressRoute(app, resource)
  },
  'Express below a path': (server, resource) => {
    const app = express()
    app.use('/oauth', express.urlencoded(), expressHandler(server))
    app.use('/.well-known', expressHandler(server), expressHandler(resource))
    return withExpressRoute(app, resource)
  },
  'Hono after middleware that read the body': (server, resource) => {
    const app = new Hono<{ Variables: { auth: AuthInfo } }>()
    app.use(async (context, next) => {
      const type = context.req.header('content-type') ?? ''
      if (type.includes('json')) await context.req.json().catch(() => {})
      else if (type !== '') await context.req.parseBody()
      await next()
    })
    return withHonoRoutes(app, server, resource)
  },
  Hono: (server, resource) => withHonoRoutes(new Hono(), server, resource),
}

function withHonoRoutes(
  app: Hono<{ Variables: { auth: AuthInfo } }>,
  server: AuthorizationServer,
  resource: ProtectedResource,
): RequestListener {
  app.use(honoHandler(server), honoHandler(resource))
  app.get('/mcp', honoBearer(resource), context => context.text(context.get('auth').extra.subject))
  return getRequestListener(app.fetch, { overrideGlobalObjects: false })
}

function withExpressRoute(app: express.Express, resource: ProtectedResource): RequestListener {
  app.get('/mcp', expressBearer(resource), (request, response) => {
    response.send((request as unknown as { auth: AuthInfo }).auth.extra.subject)
  })
  return app
}

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function start(application: Application) {
  const http = createServer()
  await listen(http)
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const identityProvider = await startIdentityProvider(`${issuer}/oauth/callback`)
  const server = createAuthorizationServer({
    issuer,
    upstreamProvider: identityProvider.config,
    signingSecret: SIGNING_SECRET,
    enableDCR: true,
    registrationsPerHour: 2,
    clients: [{ client_id: 'tool', redirect_uris: [CALLBACK] }],
  })
  const resource = createProtectedResource({ resource: `${issuer}/mcp`, authorizationServer: server })
  http.on('request', application(server, resource))
  closers.push(
    async () => identityProvider[Symbol.asyncDispose](),
    () => close(http),
  )
  return { issuer, base: `${issuer}/oauth` }
}

describe.each(Object.entries(applications))('mounted with %s', (_name, application) => {
  test('signs a user in and accepts the token', async () => {
    const { issuer, base } = await start(application)
    const flow = startFlow(base, { resource: `${issuer}/mcp` })
    const code = (await approve(flow)).get('code')!
    const tokens = (await (await redeem(base, flow, code)).json()) as Tokens
    const refused = await fetch(`${issuer}/mcp`)
    expect(refused.status).toBe(401)
    const metadataUrl = `${issuer}/.well-known/oauth-protected-resource/mcp`
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadataUrl}"`)
    expect(await (await fetch(metadataUrl)).json()).toMatchObject({ authorization_servers: [issuer] })
    const inQuery = `${issuer}/mcp?access_token=${tokens.access_token}`
    expect((await fetch(inQuery)).status).toBe(401)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect(await (await fetch(`${issuer}/mcp`, { headers })).text()).toBe('idp|ada')
  })

  test('registers clients, and returns 429 with Retry-After above the limit', async () => {
    const { base } = await start(application)
    const register = () =>
      fetch(`${base}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Ünï', redirect_uris: [CALLBACK] }),
      })
    const first = await register()
    expect(first.status).toBe(201)
    expect(await first.json()).toMatchObject({ client_name: 'Ünï', redirect_uris: [CALLBACK] })
    expect((await register()).status).toBe(201)
    const third = await register()
    expect(third.status).toBe(429)
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('rejects repeated parameters, bodies of other types, and bodies that are too long', async () => {
    const { base } = await start(application)
    const send = (body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(`${base}/token`, { method: 'POST', headers: { 'content-type': type }, body })
    const invalid = { status: 400, error: 'invalid_request' }
    expect(await errorOf(await send('client_id=tool&client_id=other&grant_type=authorization_code'))).toEqual(
      invalid,
    )
    expect(await errorOf(await send('{"client_id":"tool"}', 'application/json'))).toEqual(invalid)
    expect((await send(`client_id=${'x'.repeat(200_000)}`)).status).toBe(413)
  })

  test('sets cookies, and leaves other paths to the application', async () => {
    const { issuer, base } = await start(application)
    const flow = startFlow(base)
    const page = await flow.browser.open(flow.authorizeUrl)
    expect(page.headers.getSetCookie()).toHaveLength(1)
    const back = await flow.browser.submit(page, { provider: 'idp' }, isCallback)
    expect(new URL(back.url).searchParams.has('code')).toBe(true)
    expect([401, 404]).toContain((await post(`${issuer}/oauth/nothing`, {})).status)
  })
})

test('node:http survives invalid requests', async () => {
  const { issuer } = await start(applications['node:http']!)
  const { hostname, port } = new URL(issuer)
  const send = (head: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.end(head))
      let answer = ''
      socket.on('data', chunk => {
        answer += chunk
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(answer))
    })
  const host = `Host: ${hostname}:${port}\r\nConnection: close\r\n`
  expect(await send(`TRACE /oauth/token HTTP/1.1\r\n${host}\r\n`)).toMatch(/^HTTP\/1.1 400/)
  expect(await send(`GET //evil.example/oauth/authorize HTTP/1.1\r\n${host}\r\n`)).toMatch(/^HTTP\/1.1 401/)
  const long = `Host: ${hostname}:${port}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(300_000)}`
  expect(await send(`POST /oauth/authorize HTTP/1.1\r\n${long}`)).toMatch(
    /^HTTP\/1.1 405.*connection: close/is,
  )
  await send(`POST /oauth/token HTTP/1.1\r\n${host}Content-Length: 100\r\n\r\nhalf`)
  expect((await fetch(`${issuer}/.well-known/oauth-authorization-server`)).status).toBe(200)
})
