import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { lifetimeSeconds } from '../../../../src/sdk/oauth/clients/document-reader.ts'
import { isMetadataDocumentUrl } from '../../../../src/sdk/oauth/clients/metadata-document.ts'
import { approve, openAuthorize, redeem, startFlow, type Tokens } from '../support/flow.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from '../support/mounted.ts'

const URL_OF_CLIENT = 'https://client.example/oauth/client.json'
const GOOD = { client_id: URL_OF_CLIENT, client_name: 'Documented', redirect_uris: [CALLBACK] }

let mounted: Mounted
let base: string
let answer: () => Response
let fetched = 0
let time = 0

beforeAll(async () => {
  mounted = await mountAuthorizationServer({
    now: () => Date.now() / 1000 + time,
    clientMetadataDocuments: {
      fetch: async () => {
        fetched += 1
        return answer()
      },
    },
  })
  base = `${mounted.issuer}/oauth`
})
afterAll(() => mounted[Symbol.asyncDispose]())
beforeEach(() => {
  // Documents cached by an earlier test expire.
  time += 100_000
  fetched = 0
  answer = () => Response.json(GOOD)
})

const flow = () => startFlow(base, { client_id: URL_OF_CLIENT })

test('a client signs in with the URL of its document, and the consent page shows the host of the URL', async () => {
  const started = flow()
  const page = await openAuthorize(started)
  expect(page.text).toContain('Documented (from client.example)')
  expect(page.text).toContain('Any program on this computer can send such a request.')
  const code = (await approve(started, page)).get('code')!
  const tokens = (await (await redeem(base, started, code, { client_id: URL_OF_CLIENT })).json()) as Tokens
  expect((await mounted.server.verifyAccessToken(tokens.access_token, undefined)).client_id).toBe(
    URL_OF_CLIENT,
  )
  expect(fetched).toBe(1)
})

test.each([
  ['has the client_id of another client', { ...GOOD, client_id: 'https://client.example/other.json' }],
  ['has no client_id', { redirect_uris: [CALLBACK] }],
  ['has a secret', { ...GOOD, client_secret: 'known to clients' }],
  ['requires a secret', { ...GOOD, token_endpoint_auth_method: 'client_secret_post' }],
  ['has no redirect URI', { ...GOOD, redirect_uris: [] }],
  ['has an unsafe redirect URI', { ...GOOD, redirect_uris: ['javascript:alert(1)'] }],
  ['lacks this redirect URI', { ...GOOD, redirect_uris: ['https://client.example/cb'] }],
  ['is not an object', [GOOD]],
])('shows an error page for a document that %s', async (_name, document) => {
  answer = () => Response.json(document)
  const page = await openAuthorize(flow())
  expect(page.status).toBe(400)
  expect(page.text).not.toContain('<form')
})

test.each([
  ['an error', () => Response.json(GOOD, { status: 404 })],
  ['a redirect', () => Response.json(GOOD, { status: 302, headers: { location: 'https://x.example' } })],
  ['an answer other than JSON', () => new Response('<html>')],
  ['an answer that is too long', () => Response.json({ ...GOOD, padding: 'x'.repeat(70_000) })],
  ['a refused connection', () => Promise.reject(new Error('ECONNREFUSED 10.0.0.7:443')) as never],
])("reports %s from the document's server without details", async (_name, respond) => {
  answer = respond
  const page = await openAuthorize(flow())
  expect(page.status).toBe(400)
  expect(page.text).not.toMatch(/ECONN|10\.0\.0\.7|302|404/)
})

test('reads a document again when it expires, and after each failure', async () => {
  answer = () => new Response('broken')
  await openAuthorize(flow())
  answer = () => Response.json(GOOD, { headers: { 'cache-control': 'max-age=1000' } })
  expect((await openAuthorize(flow())).status).toBe(200)
  expect((await openAuthorize(flow())).status).toBe(200)
  expect(fetched).toBe(2)
  time += 1001
  await openAuthorize(flow())
  expect(fetched).toBe(3)
})

test.each([
  [undefined, 300],
  ['no-store', 300],
  ['max-age=0', 300],
  ['public, max-age=7200', 7200],
  ['max-age=999999999', 86400],
])('Cache-Control %s caches a document for %i seconds', (header, seconds) => {
  expect(lifetimeSeconds(header)).toBe(seconds)
})

test('URLs of documents are canonical https URLs with a path', () => {
  expect(isMetadataDocumentUrl(URL_OF_CLIENT)).toBe(true)
  for (const other of [
    'tool',
    'http://client.example/c.json',
    'https://client.example',
    'https://client.example/',
    'https://client.example/a/../c.json',
    'https://client.example/c.json#x',
    'https://user@client.example/c.json',
    'https://CLIENT.example/c.json',
    'https://client.example:443/c.json',
  ]) {
    expect(isMetadataDocumentUrl(other), other).toBe(false)
  }
})

test('with clientMetadataDocuments false, a client with a document is unknown, and the metadata does not mention documents', async () => {
  const about = async () => (await fetch(`${mounted.issuer}/.well-known/oauth-authorization-server`)).json()
  expect(await about()).toMatchObject({ client_id_metadata_document_supported: true })
  mounted.restart({ clientMetadataDocuments: false })
  expect(await about()).not.toHaveProperty('client_id_metadata_document_supported')
  expect((await openAuthorize(flow())).status).toBe(400)
  expect(fetched).toBe(0)
})

test('the built-in fetch reports a client at a private address without details', async () => {
  mounted.restart({ clientMetadataDocuments: true })
  const page = await openAuthorize(startFlow(base, { client_id: 'https://127.0.0.1:1/client.json' }))
  expect(page.status).toBe(400)
  expect(page.text).toContain('cannot be fetched')
})
