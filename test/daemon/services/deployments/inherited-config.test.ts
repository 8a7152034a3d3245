import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from '../../http/fixtures.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

const deployLike = (configFrom: string, body: object) =>
  daemon.api('POST', '/v1/deploy', { body: { config_from: configFrom, ...body } })

const configOf = async (id: string) => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data.config

const [say] = echoServer().tools
const reader = (name: string, env: readonly string[]) =>
  echoServer(name, {
    env,
    tools: [{ ...say, handler: { type: 'template', text: '{{ env.OWN }} {{ env.STORED }}' } }],
  })

test('config_from copies the configuration and the secrets of another deployment, and config overrides them', async () => {
  const variables = { STORED: 'old' }
  const first = await daemon.api('POST', '/v1/deploy', {
    body: {
      mcp_id: await buildServer(daemon, reader('kept', ['OWN', 'STORED', 'GONE'])),
      environment: 'production',
      variables,
      config: { domain: 'kept.example.com', log_level: 'debug', env_vars: { OWN: 'secret', GONE: 'x' } },
    },
  })
  await daemon.api('PATCH', '/v1/servers/kept/env/production', { body: { variables: { STORED: 'new' } } })
  const mcpId = await buildServer(daemon, reader('kept', ['OWN', 'STORED']))
  const { body } = await deployLike(first.body.data.deployment_id, {
    mcp_id: mcpId,
    environment: 'production',
    config: { log_level: 'info' },
  })
  expect(body.data.status).toBe('deployed')
  expect(await configOf(body.data.deployment_id)).toMatchObject({
    domain: 'kept.example.com',
    log_level: 'info',
  })
  expect(JSON.stringify(await callTool(body.data.url, 'say', { text: '' }))).toContain('secret new')
})

test('config_from keeps the sign-in in another environment, but neither the domain nor the variables', async () => {
  const mcpId = await buildServer(daemon, reader('promoted', ['OWN', 'STORED']))
  const { deployment_id: id } = await deploy(daemon, mcpId, 'staging', {
    domain: 'promoted.example.com',
    env_vars: { OWN: 'secret' },
    auth: { provider: 'local' },
  })
  const { body } = await deployLike(id, { mcp_id: mcpId, environment: 'production' })
  const config = await configOf(body.data.deployment_id)
  expect(config.auth).toMatchObject({ provider: 'local' })
  expect(config).not.toHaveProperty('domain')
  expect(config).not.toHaveProperty('env_vars')
})

test('config_from must be a deployment of the same server', async () => {
  const { deployment_id: other } = await deploy(daemon, await buildServer(daemon, echoServer('stranger')))
  const request = { mcp_id: await buildServer(daemon, echoServer('own')), environment: 'staging' }
  expect((await deployLike(other, request)).body.error).toMatchObject({
    code: 'INVALID_REQUEST',
    message: `Deployment ${other} in config_from belongs to the server "stranger", not to "own".`,
  })
  expect((await deployLike('dep_none', request)).status).toBe(404)
})

test('refuses secrets that a response masked', async () => {
  const mcpId = await buildServer(daemon, reader('masked', ['OWN', 'STORED']))
  const auth = { provider: 'github', client_id: 'abc', client_secret: 'hunter2-hunter2' }
  const { deployment_id } = await deploy(daemon, mcpId, 'production', { auth, env_vars: { OWN: 'secret' } })
  const config = await configOf(deployment_id)
  const answer = await daemon.api('POST', '/v1/deploy', {
    body: { mcp_id: mcpId, environment: 'production', config, variables: { STORED: config.env_vars.OWN } },
  })
  expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(answer.body.error.message).toContain(
    'config.env_vars.OWN, variables.STORED, config.auth.client_secret is ********',
  )
})
