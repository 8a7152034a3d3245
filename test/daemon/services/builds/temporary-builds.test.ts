import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { deploy, echoServer } from '../../http/fixtures.ts'

let daemon: TestDaemon
let now = new Date()
beforeAll(async () => {
  daemon = await startTestDaemon({ clock: () => now })
})
afterAll(() => daemon.close())

const MINUTE_MS = 60_000

test('a temporary build is removed ten minutes after its last test, and its server with it', async () => {
  const unused = await buildTemporary('unused')
  const tested = await buildTemporary('tested')
  await pass(6)
  const body = { mcp_id: tested, message: 'call say with hi', ai_model: 'embedded' }
  expect((await daemon.api('POST', '/v1/test', { body })).status).toBe(200)
  await pass(6)
  expect([await statusOf(unused), await statusOf(tested)]).toEqual([404, 200])
  await pass(6)
  expect(await statusOf(tested)).toBe(404)
  expect((await daemon.api('GET', '/api/servers/tested/releases')).status).toBe(404)
})

test('a temporary build that is deployed becomes a permanent one', async () => {
  const id = await buildTemporary('kept')
  await deploy(daemon, id, 'development')
  await pass(30)
  expect((await daemon.api('GET', `/v1/build/${id}`)).body.data).not.toHaveProperty('expires_at')
})

test('the previous build of a server takes over the preview of a removed temporary build', async () => {
  const kept = (await daemon.api('POST', '/v1/build', { body: echoServer('both') })).body.data
  await buildTemporary('both')
  await pass(11)
  const { body } = await daemon.api('GET', '/v1/build?name=both')
  expect(body.data.items).toMatchObject([{ mcp_id: kept.mcp_id, url: kept.url }])
})

async function buildTemporary(name: string): Promise<string> {
  const headers = { prefer: 'temporary' }
  const { body } = await daemon.api('POST', '/v1/build', { body: echoServer(name), headers })
  expect(Date.parse(body.data.expires_at) - now.getTime()).toBeGreaterThan(9 * MINUTE_MS)
  return body.data.mcp_id
}

/** Advances the clock and restarts the daemon, because the daemon removes expired builds when it starts. */
async function pass(minutes: number): Promise<void> {
  now = new Date(now.getTime() + minutes * MINUTE_MS)
  await daemon.restart()
}

async function statusOf(id: string): Promise<number> {
  return (await daemon.api('GET', `/v1/build/${id}`)).status
}
