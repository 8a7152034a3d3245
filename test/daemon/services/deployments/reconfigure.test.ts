import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSecretBox } from '../../../../src/daemon/services/access/secrets.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from '../../http/fixtures.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

const reconfigure = (id: string, config: object, reset?: string[]) =>
  daemon.api('POST', `/v1/deploy/${id}/reconfigure`, { body: { config, reset } })
const status = async (id: string) => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data
const storeVariables = (server: string, variables: object) =>
  daemon.api('PATCH', `/v1/servers/${server}/env/production`, { body: { variables } })

/** Decrypted secrets of a deployment. */
function secretsOf(id: string): string {
  const database = new BetterSqlite3(daemon.home.database, { readonly: true })
  const { env } = database.prepare('SELECT env FROM deployments WHERE id = ?').get(id) as { env: Buffer }
  database.close()
  return openSecretBox(daemon.home.secretKey).unseal(env)
}

test('reconfiguring replaces the given settings, restores defaults and keeps the other settings', async () => {
  const mcpId = await buildServer(daemon, echoServer('tuned'))
  const scaling = { min_instances: 1, max_instances: 2 }
  const { deployment_id, url } = await deploy(daemon, mcpId, 'production', {
    scaling,
    log_level: 'debug',
    timeout_seconds: 5,
  })
  const answer = await reconfigure(deployment_id, { limits: { memory_mb: 256 } }, ['log_level'])
  expect([answer.status, answer.body.data.version, answer.body.data.url]).toEqual([201, 2, url])
  const after = await status(answer.body.data.deployment_id)
  expect(after).toMatchObject({ mcp_id: mcpId, status: 'deployed', promises: { memory_mb: 256 } })
  expect(after.release.message).toBe('Changed limits, log_level')
  expect(after.config).toEqual({ scaling, timeout_seconds: 5, limits: { memory_mb: 256 } })
  expect((await status(deployment_id)).status).toBe('stopped')
})

test('reconfiguring keeps the sign-in secret and the variables that responses mask', async () => {
  const variable = (name: string) => ({ type: 'template', text: `{{ env.${name} }}` })
  const tool = (name: string) => ({ ...echoServer().tools[0], name, handler: variable(name) })
  const definition = { template: 'advanced', tools: [tool('OWN'), tool('STORED')], env: ['OWN', 'STORED'] }
  const mcpId = await buildServer(daemon, echoServer('sealed', definition))
  await storeVariables('sealed', { STORED: 'first' })
  const { deployment_id, url } = await deploy(daemon, mcpId, 'production', { env_vars: { OWN: 'kept' } })
  await storeVariables('sealed', { STORED: 'second' })
  expect((await reconfigure(deployment_id, { record_bodies: true })).status).toBe(201)
  const read = async (name: string) => (await callTool(url, name, { text: '' })).content[0].text
  expect([await read('OWN'), await read('STORED')]).toEqual(['kept', 'second'])

  const auth = { provider: 'github', client_id: 'abc', client_secret: 'hunter2-hunter2' }
  const first = await deploy(daemon, mcpId, 'production', { auth })
  const { body } = await reconfigure(first.deployment_id, { record_bodies: true })
  expect(secretsOf(body.data.deployment_id)).toContain('hunter2-hunter2')
})

test('reconfiguring rejects sign-in, variables and invalid values, and names the field', async () => {
  const mcpId = await buildServer(daemon, echoServer('strict'))
  const { deployment_id } = await deploy(daemon, mcpId, 'production')
  const problemOf = async (config: object, reset?: string[]) => {
    const { status, body } = await reconfigure(deployment_id, config, reset)
    return [status, body.error.details || body.error.message]
  }
  expect(await problemOf({ auth: { provider: 'local' } })).toEqual([
    400,
    'config.auth: cannot be changed without a deploy request',
  ])
  expect(await problemOf({ limits: { memory_mb: 1 } })).toEqual([
    400,
    expect.stringMatching(/^config\.limits\.memory_mb: /),
  ])
  expect(await problemOf({}, ['env_vars'])).toEqual([400, expect.stringMatching(/^reset\.0: /)])
  expect(await problemOf({})).toEqual([400, 'Name at least one setting in config or reset.'])
  const body = { message: 'Nothing' }
  const answer = await daemon.api('POST', `/v1/deploy/${deployment_id}/reconfigure`, { body })
  expect(answer.status, 'a message without a change').toBe(400)
  expect(await problemOf({ origins: '*' })).toEqual([
    400,
    'config.origins: list the origins, or require sign-in',
  ])
})

test('rejects a change to a deployment that has been replaced', async () => {
  const mcpId = await buildServer(daemon, echoServer('raced'))
  const { deployment_id } = await deploy(daemon, mcpId, 'production')
  const changes = [{ log_level: 'debug' }, { record_bodies: true }]
  const answers = await Promise.all(changes.map(config => reconfigure(deployment_id, config)))
  expect(answers.map(answer => answer.status).toSorted()).toEqual([201, 409])
  const refused = answers.find(answer => answer.status === 409)!
  expect(refused.body.error.message).toMatch(
    /cannot be reconfigured, because deployment dep_\w+ is deploying/,
  )
  const late = await reconfigure(deployment_id, { record_bodies: true })
  expect(late.body.error.message).toMatch(/because deployment dep_\w+ is deployed in its place/)
})
