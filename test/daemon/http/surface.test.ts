import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

/** The echo server with another required argument. */
function stricter(name: string) {
  const server = echoServer(name)
  const [say] = server.tools
  const properties = { ...say!.inputSchema.properties, loud: { type: 'boolean' } }
  return {
    ...server,
    tools: [{ ...say, inputSchema: { ...say!.inputSchema, properties, required: ['text', 'loud'] } }],
  }
}
const report = async (mcpId: string, query = '') =>
  (await daemon.api('GET', `/v1/build/${mcpId}/surface${query}`)).body.data

test('compares a build with every live deployment of its server', async () => {
  const old = await buildServer(daemon, echoServer('compared'))
  const production = await deploy(daemon, old, 'production')
  const staging = await deploy(daemon, old, 'staging')
  const next = await buildServer(daemon, stricter('compared'))
  const changes = [{ kind: 'breaking', path: 'tools.say.inputSchema.loud', message: 'is new and required' }]
  const facts = { against: old, breaking: true, changes }
  expect(await report(next)).toEqual({
    mcp_id: next,
    items: [
      { environment: 'production', deployment_id: production.deployment_id, ...facts },
      { environment: 'staging', deployment_id: staging.deployment_id, ...facts },
    ],
  })
  expect((await report(next, '?environment=staging')).items).toHaveLength(1)
  expect((await report(next, '?environment=development')).items).toEqual([])
  expect((await report(old, '?environment=production')).items).toMatchObject([
    { breaking: false, changes: [] },
  ])
})

describe('a breaking release', () => {
  test('rejects a breaking release only with allow_breaking: false', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('guarded')), 'production')
    const next = await buildServer(daemon, stricter('guarded'))
    const release = (more: object) =>
      daemon.api('POST', '/v1/deploy', { body: { mcp_id: next, environment: 'production', ...more } })
    const refused = await release({ allow_breaking: false })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
    expect(refused.body.error.details).toBe('tools.say.inputSchema.loud is new and required')
    expect((await release({ allow_breaking: true })).body.data.status).toBe('deployed')
    await deploy(daemon, await buildServer(daemon, echoServer('guarded')), 'production')
    expect((await release({})).body.data.status).toBe('deployed')
  })

  test('a release of the live build, or the first release of a server, is not breaking', async () => {
    const first = await buildServer(daemon, echoServer('unguarded'))
    for (const _ of [1, 2]) {
      const body = { mcp_id: first, environment: 'production', allow_breaking: false }
      expect((await daemon.api('POST', '/v1/deploy', { body })).body.data.status).toBe('deployed')
    }
  })
})

test('an unknown build returns 404', async () => {
  expect((await daemon.api('GET', '/v1/build/mcp_none/surface')).status).toBe(404)
})
