import { readdirSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from '../../http/fixtures.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

test.each([
  ['before it removed anything', []],
  ['after it removed a deployment', ['production']],
])('a removal that was interrupted %s is completed at the next start', async (_, removed) => {
  const name = `whole-${removed.length}`
  const ids = await createServer(name)
  for (const environment of removed) await daemon.api('DELETE', `/v1/deploy/${ids[environment]}`)
  record({ server: name, environment: '', data: 1 })
  const refused = await daemon.api('POST', '/v1/build', { body: echoServer(name) })
  expect([refused.status, refused.body.error]).toMatchObject([
    409,
    {
      message: `Server "${name}" is being removed.`,
      details: expect.stringMatching(`mcp remove ${name} --data$`),
    },
  ])
  await daemon.restart()
  expect(await contentsOf(name)).toEqual({ deployments: [], builds: 0, mappings: 0, variables: 0 })
  expect((await daemon.api('DELETE', `/v1/servers/${name}`)).status).toBe(404)
  expect((await daemon.api('POST', '/v1/build', { body: echoServer(name) })).status).toBe(201)
})

test('an interrupted removal of one environment is completed, and other environments keep serving', async () => {
  const ids = await createServer('part')
  record({ server: 'part', environment: 'staging', data: 0 })
  const body = { mcp_id: ids.build, environment: 'staging' }
  const refused = await daemon.api('POST', '/v1/deploy', { body })
  expect([refused.status, refused.body.error]).toMatchObject([
    409,
    {
      message: 'Server "part" is being removed in staging.',
      details: expect.stringMatching('mcp remove part --env staging$'),
    },
  ])
  expect((await daemon.api('POST', `/v1/deploy/${ids.staging}/start`)).status).toBe(409)
  await daemon.restart()
  expect(await contentsOf('part')).toEqual({
    deployments: ['production'],
    builds: 1,
    mappings: 1,
    variables: 1,
  })
  expect((await daemon.api('POST', '/v1/deploy', { body })).status).toBe(201)
})

test('the removal of one environment removes its sign-ins and keeps those of other environments', async () => {
  const build = await buildServer(daemon, echoServer('signed'))
  for (const environment of ['production', 'staging'])
    await deploy(daemon, build, environment, { auth: { provider: 'local' } })
  const database = new BetterSqlite3(daemon.home.database, { readonly: true })
  const environments = () =>
    database
      .prepare("SELECT DISTINCT kind FROM oauth_records WHERE kind LIKE 'signed/%'")
      .all()
      .map(row => /\/(\w+) /.exec((row as { kind: string }).kind)![1])
  expect(new Set(environments())).toEqual(new Set(['production', 'staging']))
  await daemon.api('DELETE', '/v1/servers/signed?environment=staging')
  expect(new Set(environments())).toEqual(new Set(['production']))
  database.close()
})

test('a removal removes the logs of all deployments, including those that a release replaced', async () => {
  const build = await buildServer(daemon, echoServer('replaced'))
  const ids: string[] = []
  for (const environment of ['development', 'development', 'staging'])
    ids.push((await deploy(daemon, build, environment)).deployment_id)
  const logsOf = () => readdirSync(daemon.home.logs).filter(name => ids.includes(name))
  await expect.poll(logsOf).toEqual(expect.arrayContaining(ids))
  await daemon.api('DELETE', '/v1/servers/replaced?environment=development')
  expect(logsOf()).toEqual([ids[2]])
  ids.push((await deploy(daemon, build)).deployment_id, (await deploy(daemon, build)).deployment_id)
  expect((await daemon.api('DELETE', '/v1/servers/replaced')).status).toBe(204)
  expect(logsOf()).toEqual([])
})

/** Creates a server with two environments, a mapping and a stored variable. Returns the ids. */
async function createServer(name: string): Promise<Record<string, string>> {
  const build = await buildServer(daemon, echoServer(name))
  const production = (await deploy(daemon, build, 'production')).deployment_id
  const staging = (await deploy(daemon, build, 'staging')).deployment_id
  await daemon.api('PUT', `/api/lambda-mapping/${name}-too`, { body: { deploymentId: production } })
  const variables = { variables: { A: '1' } }
  await daemon.api('PATCH', `/v1/servers/${name}/env/production`, { body: variables })
  return { build, production, staging }
}

/** Records the first step of a removal, as a daemon that is killed right afterwards leaves it. */
function record({ server, environment, data }: { server: string; environment: string; data: number }): void {
  const database = new BetterSqlite3(daemon.home.database)
  database
    .prepare('INSERT INTO removals (server, environment, data, created_at) VALUES (?, ?, ?, ?)')
    .run(server, environment, data, new Date().toISOString())
  database.close()
}

async function contentsOf(name: string) {
  const [deployments, builds, mappings, env] = await Promise.all([
    daemon.api('GET', `/v1/deploy?name=${name}`),
    daemon.api('GET', `/v1/build?name=${name}`),
    daemon.api('GET', '/api/lambda-mapping'),
    daemon.api('GET', `/v1/servers/${name}/env/production`),
  ])
  return {
    deployments: deployments.body.data.items.map((one: { environment: string }) => one.environment),
    builds: builds.body.data.items.length,
    mappings: mappings.body.items.filter((one: { server: string }) => one.server === name).length,
    variables: env.body.data.variables.length,
  }
}
