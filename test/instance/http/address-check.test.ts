import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { modern, modernHeaders, send } from '../../helpers/clients/mcp-requests.ts'
import {
  type InstanceAddress,
  type InstanceHarness,
  startInstance,
} from '../../helpers/instance/instance-harness.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'

let harness: InstanceHarness
let address: InstanceAddress

beforeAll(async () => {
  const tenant = { allowedOrigins: ['https://app.example'] }
  ;({ harness, address } = await startInstance(createArtifact(), {
    program: fixtureProgram('scripted'),
    tenant,
  }))
})
afterAll(() => harness.stop())

const discover = (headers: Record<string, string>) =>
  send(address.url, {
    body: modern('server/discover'),
    headers: { ...modernHeaders('server/discover'), ...headers },
  })

describe('address check', () => {
  test("accepts the tenant's hosts, ignoring case", async () => {
    const { host } = new URL(address.url)
    expect((await discover({ host })).status).toBe(200)
    expect((await discover({ host: host.replace('127.0.0.1', 'LocalHost') })).status).toBe(200)
  })

  test.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1:1', '127.0.0.1.evil.example'])(
    "rejects the host %s with a JSON-RPC error that contains the server's URL",
    async host => {
      const answer = await discover({ host })
      expect(answer.status).toBe(403)
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } })
      expect(answer.json.error.message).toContain(address.url)
    },
  )

  test('the address check applies to every path', async () => {
    expect((await send(`${address.origin}/health`, { headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await send(`${address.origin}/other`, { headers: { host: 'evil.example' } })).status).toBe(403)
  })

  test.each(['http://evil.example', 'null', 'https://app.example.evil', 'file://127.0.0.1', 'app.example'])(
    'rejects the origin %s',
    async origin => {
      const answer = await discover({ origin })
      expect(answer.status).toBe(403)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      expect(answer.json.error.message).toContain('mcp deploy --origin')
    },
  )

  test('accepts every origin but no other host when the allowed origins are "*"', async () => {
    const open = await harness.serve(createArtifact(), { allowedOrigins: '*' })
    const ask = (headers: Record<string, string>) =>
      send(open.url, {
        body: modern('server/discover'),
        headers: { ...modernHeaders('server/discover'), ...headers },
      })
    for (const origin of ['https://app.example', 'http://evil.example', 'null'])
      expect((await ask({ origin })).headers['access-control-allow-origin']).toBe(origin)
    const rebound = { host: 'evil.example', origin: 'http://evil.example' }
    const refused = await ask(rebound)
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([403, undefined])
  })

  test("rejects an origin that only starts with the server's own address", async () => {
    for (const end of ['://evil.example', '.evil.example', '@evil.example', '/', ' '])
      expect((await discover({ origin: `${address.origin}x${end}` })).status, end).toBe(403)
    expect((await discover({ origin: `${address.origin}://evil.example` })).status).toBe(403)
  })

  test('lets pages from an allowed origin and from the server itself read the answer', async () => {
    for (const origin of ['https://app.example', address.origin]) {
      const { status, headers } = await discover({ origin })
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate',
        vary: 'Origin',
      })
    }
  })

  test('answers a preflight with the methods and the requested headers', async () => {
    const { status, headers, text } = await send(address.url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-session-id,mcp-param-region',
      },
    })
    expect([status, text]).toEqual([204, ''])
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'content-type,mcp-session-id,mcp-param-region',
    })
  })

  test('lets a public page from an allowed origin reach a private network', async () => {
    const preflight = (headers: Record<string, string>) =>
      send(`${address.origin}/health`, {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example', 'access-control-request-method': 'GET', ...headers },
      })
    const asked = await preflight({ 'access-control-request-private-network': 'true' })
    expect(asked.headers['access-control-allow-private-network']).toBe('true')
    expect((await preflight({})).headers).not.toHaveProperty('access-control-allow-private-network')
  })

  test('rejects a preflight from an origin that is not allowed', async () => {
    const answer = await send(address.url, {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(answer.status).toBe(403)
    for (const name of ['access-control-allow-origin', 'access-control-allow-methods'])
      expect(answer.headers).not.toHaveProperty(name)
  })
})
