import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'
import { buildServer, deploy, echoServer } from '../http/fixtures.ts'

/** Program whose instances behave as the artifact's `data` says (test/fixtures/instance.ts). */
const instanceProgram = fixtureProgram('instance')

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon({ instanceProgram })
})

afterAll(() => daemon.close())

const status = async (id: string) => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data
const act = (id: string, verb: string) => daemon.api('POST', `/v1/deploy/${id}/${verb}`)
const buildEcho = (name: string, data = {}) => buildServer(daemon, echoServer(name, { data }))

async function begin(mcp_id: string): Promise<string> {
  const { body } = await daemon.api('POST', '/v1/deploy', {
    body: { mcp_id, environment: 'production' },
    headers: { prefer: 'respond-async' },
  })
  return body.data.deployment_id
}

async function ask(url: string) {
  const answer = await fetch(url, { headers: { connection: 'close' } })
  return (await answer.json()) as { tenantId: string }
}

describe('while the next deployment starts', () => {
  test('when the live deployment is stopped, the next one serves at its address', async () => {
    const name = 'stopped-before-the-switch'
    const live = await deploy(daemon, await buildEcho(name), 'production')
    const waitFor = join(daemon.home.home, 'next-may-serve')
    const next = await begin(await buildEcho(name, { waitFor }))
    expect((await act(live.deployment_id, 'stop')).body.data.status).toBe('stopped')
    // This request is held until the next deployment is ready.
    const asked = ask(live.url)
    writeFileSync(waitFor, '')
    expect((await asked).tenantId).toBe(next)
    await expect.poll(async () => (await status(next)).status).toBe('deployed')
    expect((await ask(live.url)).tenantId).toBe(next)
  })

  test('when the live deployment is removed, the next one serves at its address', async () => {
    const mcpId = await buildEcho('removed-before-the-switch')
    const live = await deploy(daemon, mcpId, 'production')
    const next = await begin(mcpId)
    expect((await daemon.api('DELETE', `/v1/deploy/${live.deployment_id}`)).status).toBe(204)
    expect((await ask(live.url)).tenantId).toBe(next)
  })

  test('the address closes when the start fails and the live deployment has been stopped', async () => {
    const live = await deploy(daemon, await buildEcho('neither'), 'production')
    const next = await begin(await buildEcho('neither', { refuse: 'no' }))
    await act(live.deployment_id, 'stop')
    await expect.poll(async () => (await status(next)).status).toBe('failed')
    await expect(fetch(live.url)).rejects.toThrow()
  })
})

test('a deployment that is stopped and started again while it is starting is deployed', async () => {
  const id = await begin(await buildEcho('impatient'))
  const [stopped, started] = await Promise.all([act(id, 'stop'), act(id, 'start')])
  expect([stopped.status, started.status]).toEqual([200, 200])
  expect(started.body.data).toMatchObject({ status: 'deployed', error: null })
  expect((await ask(started.body.data.url)).tenantId).toBe(id)
})

test('a restart is refused with what to do instead, unless the deployment is deployed', async () => {
  const id = await begin(await buildEcho('early', { hang: true }))
  const refused = async () => {
    const { status, body } = await act(id, 'restart')
    return [status, body.error.details]
  }
  expect(await refused()).toEqual([409, 'Wait until it is deployed.'])
  await act(id, 'stop')
  expect(await refused()).toEqual([409, `Start it: mcp start ${id}`])
})

test('a deployment removed while it is starting is gone, and no error is logged', async () => {
  const mcp_id = await buildEcho('unwanted', { hang: true })
  const body = { mcp_id, environment: 'production' }
  const deploying = daemon.api('POST', '/v1/deploy', { body })
  const list = async () => (await daemon.api('GET', '/v1/deploy?name=unwanted')).body.data.items
  await expect.poll(async () => (await list()).length).toBe(1)
  const [{ deployment_id }] = await list()
  expect((await daemon.api('DELETE', `/v1/deploy/${deployment_id}`)).status).toBe(204)
  expect((await deploying).body.error).toMatchObject({ code: 'NOT_FOUND' })
  expect(daemon.errors).toEqual([])
})

test('concurrent deployments, stops, starts, restarts, rollbacks and removals lead to a consistent state', async () => {
  const mcpId = await buildEcho('stormy')
  const ids = await Promise.all(Array.from({ length: 4 }, () => begin(mcpId)))
  const verbs = ['stop', 'start', 'restart', 'rollback']
  const [removed] = ids
  await Promise.all([
    ...ids.flatMap(id => verbs.map(verb => act(id, verb))),
    daemon.api('DELETE', `/v1/deploy/${removed}`),
  ])
  expect((await daemon.api('GET', `/v1/deploy/${removed}/status`)).status).toBe(404)
  const all = async () =>
    (await daemon.api('GET', '/v1/deploy?name=stormy')).body.data.items as { status: string; url: string }[]
  await expect.poll(async () => (await all()).some(each => each.status === 'deploying')).toBe(false)
  const live = (await all()).filter(each => each.status === 'deployed')
  expect(live.length).toBeLessThanOrEqual(1)
  const { url } = (await all())[0]!
  if (live.length === 0) await expect(fetch(url)).rejects.toThrow()
  else expect(await ask(url)).toMatchObject({ tenantId: expect.stringMatching(/^dep_/) })
})

test('identical builds that are created and removed concurrently keep the used artifact', async () => {
  for (let round = 0; round < 3; round++) {
    const old = await buildEcho('twin')
    const [, made] = await Promise.all([
      daemon.api('DELETE', `/v1/build/${old}`),
      daemon.api('POST', '/v1/build', { body: echoServer('twin', { data: {} }) }),
    ])
    const id = made.body.data.mcp_id
    expect((await daemon.api('GET', `/v1/build/${id}/artifact`)).status).toBe(200)
    expect((await ask(made.body.data.url)).tenantId).toBe(id)
    await daemon.api('DELETE', `/v1/build/${id}`)
  }
})

test('a preview serves again while its old connections drain', async () => {
  const older = await buildEcho('back')
  const { url } = (await daemon.api('GET', `/v1/build/${older}`)).body.data
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  const newer = await buildEcho('back', { loseFirst: false })
  expect((await daemon.api('DELETE', `/v1/build/${newer}`)).status).toBe(204)
  expect((await ask(url)).tenantId).toBe(older)
  socket.destroy()
})

describe('an outcome that the database rejects', () => {
  const rejectUpdates = (table: string) => {
    const database = new BetterSqlite3(daemon.home.database)
    database.exec(`CREATE TRIGGER full_disk BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, 'full'); END`)
    return () => {
      database.exec('DROP TRIGGER full_disk')
      database.close()
    }
  }

  test('a rejected database write leaves no deployment in state deploying and no instance running', async () => {
    const mcp_id = await buildEcho('unwritten')
    const restore = rejectUpdates('deployments')
    const answer = await daemon.api('POST', '/v1/deploy', { body: { mcp_id, environment: 'production' } })
    expect(answer.body.success).toBe(false)
    const [record] = (await daemon.api('GET', '/v1/deploy?name=unwritten')).body.data.items
    expect(record).toMatchObject({ status: 'deploying', instances: [] })
    restore()
    await expect.poll(async () => (await status(record.deployment_id)).status).toBe('failed')
    await expect(fetch(record.url)).rejects.toThrow()
  })

  test('a rejected database write leaves no build in state building', async () => {
    const restore = rejectUpdates('builds')
    const answer = await daemon.api('POST', '/v1/build', { body: echoServer('unwritten-build') })
    expect(answer.body.success).toBe(false)
    restore()
    const [record] = (await daemon.api('GET', '/v1/build?name=unwritten-build')).body.data.items
    await expect
      .poll(async () => (await daemon.api('GET', `/v1/build/${record.mcp_id}`)).body.data.status)
      .toBe('failed')
  })
})
