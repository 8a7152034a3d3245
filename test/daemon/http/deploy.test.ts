import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

const status = async (id: string) => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data
const act = (id: string, verb: string, input = {}) => daemon.api('POST', `/v1/deploy/${id}/${verb}`, input)
const version = (name: string, text: string) =>
  echoServer(name, { tools: [{ ...echoServer().tools[0], handler: { type: 'template', text } }] })
const say = async (url: string) => (await callTool(url, 'say', { text: 'hello' })).content[0].text

async function listening(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  const answer = await promise
  socket.destroy()
  return answer
}

describe('a deployment', () => {
  test('a deployment answers tool calls at its URL', async () => {
    const deployment = await deploy(daemon, await buildServer(daemon))
    expect(await say(deployment.url)).toBe('You said hello')
    expect(deployment.deploy_time).toBeGreaterThan(0)
  })

  test('a deployment has a health check', async () => {
    const { health_check } = await deploy(daemon, await buildServer(daemon, echoServer('healthy')))
    const answer = await fetch(health_check)
    expect(answer.status).toBe(200)
    await answer.body?.cancel()
  })

  test('the subdomain of a deployment depends on its environment', async () => {
    const mcpId = await buildServer(daemon, echoServer('everywhere'))
    for (const [environment, subdomain] of [
      ['production', /^everywhere$/],
      ['staging', /^everywhere-[0-9a-z]{6}$/],
      ['development', /^everywhere-dev$/],
    ] as const) {
      const { deployment_id, url } = await deploy(daemon, mcpId, environment)
      expect(await say(url)).toBe('You said hello')
      expect(await status(deployment_id)).toMatchObject({
        environment,
        status: 'deployed',
        subdomain: expect.stringMatching(subdomain),
      })
    }
  })

  test('an asynchronous client gets an immediate answer while the deployment continues', async () => {
    const mcpId = await buildServer(daemon, echoServer('async'))
    const answer = await daemon.api('POST', '/v1/deploy', {
      body: { mcp_id: mcpId, environment: 'staging' },
      headers: { prefer: 'respond-async' },
    })
    expect(answer.status).toBe(202)
    expect(answer.headers['preference-applied']).toBe('respond-async')
    expect(answer.body.data.status).toBe('deploying')
    const { deployment_id } = answer.body.data
    await expect.poll(async () => (await status(deployment_id)).status).toBe('deployed')
    expect(await say((await status(deployment_id)).url)).toBe('You said hello')
  })

  test('masks secret values in the configuration and stores them encrypted', async () => {
    const definitions = version('secretive', 'token {{ env.API_TOKEN }}')
    const mcpId = await buildServer(daemon, { ...definitions, env: ['API_TOKEN'] })
    const secret = 'hunter2-hunter2-hunter2'
    const { deployment_id, url } = await deploy(daemon, mcpId, 'staging', { env_vars: { API_TOKEN: secret } })
    expect((await status(deployment_id)).config).toMatchObject({
      env_vars: { API_TOKEN: '********' },
      scaling: { min_instances: 1, max_instances: 10 },
    })
    expect(await say(url)).toBe(`token ${secret}`)
    for (const suffix of ['', '-wal'])
      expect(readFileSync(daemon.home.database + suffix).includes(secret)).toBe(false)
  })
})

describe('a deploy request', () => {
  const refused = async (body: Record<string, unknown>) => daemon.api('POST', '/v1/deploy', { body })

  test('rejects a request without a required variable, and suggests that variable for a similar name', async () => {
    const env = [{ name: 'API_TOKEN', required: true }]
    const mcp_id = await buildServer(daemon, echoServer('needy', { env }))
    const answer = await refused({ mcp_id, environment: 'staging' })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({
      code: 'INVALID_REQUEST',
      details: 'config.env_vars.API_TOKEN: required',
    })
    const slip = await refused({ mcp_id, environment: 'staging', config: { env_vars: { API_TOKN: 'x' } } })
    expect(slip.body.error.details).toMatch(/did you mean API_TOKEN/)
  })

  test('accepts any variables for a server that declares none', async () => {
    const mcpId = await buildServer(daemon, echoServer('plain'))
    await deploy(daemon, mcpId, 'staging', { env_vars: { WHATEVER: 'x' } })
  })

  test('rejects an invalid configuration and names the field', async () => {
    const mcp_id = await buildServer(daemon, echoServer('checked'))
    for (const [config, field] of [
      [{ scaling: { min_instances: 5, max_instances: 2 } }, /^config\.scaling: min_instances/],
      [{ scaling: { min_instances: 1.5 } }, /^config\.scaling\.min_instances/],
      [{ scaling: { max_instances: 101 } }, /^config\.scaling\.max_instances/],
      [{ env_vars: { '1BAD': 'x' } }, /^config\.env_vars\.1BAD/],
      [{ env_vars: { GOOD: 7 } }, /^config\.env_vars\.GOOD/],
      [{ domain: 'not a host' }, /^config\.domain/],
      [{ origins: 'https://a.example' }, /^config\.origins: must be a list of origins/],
      [{ origins: ['https://a.example/'] }, /^config\.origins\.0: must be an origin/],
      [{ origins: ['https://A.example:443'] }, /^config\.origins\.0: browsers send .* https:\/\/a\.example$/],
      [{ origins: ['*'] }, /^config\.origins\.0: use "\*" alone/],
      [{ origins: '*' }, /^config\.origins: list the origins, or require sign-in$/],
    ] as const) {
      const answer = await refused({ mcp_id, environment: 'production', config })
      expect(answer.status).toBe(400)
      expect(answer.body.error.details).toMatch(field)
    }
    expect((await refused({ mcp_id, environment: 'moon' })).body.error.details).toMatch(/^environment/)
  })

  test('returns 409 for a domain of another live deployment', async () => {
    const mine = await buildServer(daemon, echoServer('domain-a'))
    const other = await buildServer(daemon, echoServer('domain-b'))
    const config = { domain: 'MCP.example.com' }
    const owner = await deploy(daemon, mine, 'staging', config)
    const answer = await refused({
      mcp_id: other,
      environment: 'staging',
      config: { domain: 'mcp.example.com' },
    })
    expect(answer.status).toBe(409)
    expect(answer.body.error.message).toContain(owner.deployment_id)
    await deploy(daemon, mine, 'staging', config)
  })
})

describe('a release', () => {
  test('a release replaces the live deployment at the same URL', async () => {
    const first = await deploy(daemon, await buildServer(daemon, version('released', 'one')), 'staging')
    expect(await say(first.url)).toBe('one')
    const second = await deploy(daemon, await buildServer(daemon, version('released', 'two')), 'staging')
    expect(second.url).toBe(first.url)
    expect(await say(second.url)).toBe('two')
    expect(await status(first.deployment_id)).toMatchObject({
      status: 'stopped',
      stopped_at: expect.any(String),
    })
  })

  test('a release in development removes older deployments and keeps their logs for a day', async () => {
    const mcpId = await buildServer(daemon, echoServer('short-lived'))
    const first = await deploy(daemon, mcpId)
    await say(first.url)
    const second = await deploy(daemon, mcpId)
    expect((await daemon.api('GET', `/v1/deploy/${first.deployment_id}/status`)).status).toBe(404)
    const lines = async (query: string) =>
      (await daemon.api('GET', `/api/servers/short-lived/logs?${query}`)).body.lines
    await expect.poll(async () => (await lines('tool=say')).length).toBe(1)
    expect(await lines('tail=1000')).toEqual(await lines('limit=1000'))
    expect(await lines('tool=say')).toMatchObject([{ deploymentId: first.deployment_id, version: 1 }])
    expect(await lines('grep=release')).toMatchObject([{ release: 1 }, { release: 2 }])
    const wrote = (id: string) => existsSync(join(daemon.home.logs, id))
    const yesterday = new Date(Date.now() - 25 * 3600_000).toISOString()
    const database = new BetterSqlite3(daemon.home.database)
    database.prepare('UPDATE releases SET removed_at = ? WHERE id = ?').run(yesterday, first.deployment_id)
    database.close()
    await deploy(daemon, mcpId)
    await expect.poll(() => wrote(first.deployment_id)).toBe(false)
    expect(wrote(second.deployment_id)).toBe(true)
  })

  test('a release in staging keeps the newest five deployments', async () => {
    const mcpId = await buildServer(daemon, echoServer('five'))
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.push((await deploy(daemon, mcpId, 'staging')).deployment_id)
    const { body } = await daemon.api('GET', '/v1/deploy?name=five')
    expect(body.data.items.map((each: { deployment_id: string }) => each.deployment_id)).toEqual(
      ids.toReversed().slice(0, 5),
    )
  })

  test('simultaneous releases result in one live deployment', async () => {
    const mcp_id = await buildServer(daemon, echoServer('raced'))
    const body = { mcp_id, environment: 'production' }
    const answers = await Promise.all([1, 2, 3].map(() => daemon.api('POST', '/v1/deploy', { body })))
    expect(answers.map(answer => answer.body.data.status)).toEqual(['deployed', 'deployed', 'deployed'])
    const live = await daemon.api('GET', '/v1/deploy?name=raced&status=deployed')
    expect(live.body.data.items).toHaveLength(1)
    expect(await say(live.body.data.items[0].url)).toBe('You said hello')
  })
})

describe('the life cycle of a deployment', () => {
  test('a stopped deployment refuses connections, and a started one serves again at the same URL', async () => {
    const { deployment_id, url } = await deploy(
      daemon,
      await buildServer(daemon, echoServer('life')),
      'production',
    )
    const stopped = await act(deployment_id, 'stop')
    expect(stopped.body.data).toMatchObject({ status: 'stopped', stopped_at: expect.any(String) })
    expect(await listening(url)).toBe(false)
    const started = await act(deployment_id, 'start')
    expect(started.body.data).toMatchObject({ status: 'deployed', url, stopped_at: null })
    expect(await say(url)).toBe('You said hello')
  })

  test('an invalid state transition returns 409', async () => {
    const { deployment_id } = await deploy(daemon, await buildServer(daemon, echoServer('moves')), 'staging')
    expect((await act(deployment_id, 'start')).status).toBe(409)
    await act(deployment_id, 'stop')
    const again = await act(deployment_id, 'stop')
    expect(again.status).toBe(409)
    expect(again.body.error).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/is stopped\. Only .* can be/),
    })
    expect((await act(deployment_id, 'restart')).status).toBe(409)
  })

  test('start returns 409 while another deployment is live', async () => {
    const mcpId = await buildServer(daemon, echoServer('taken'))
    const first = await deploy(daemon, mcpId, 'staging')
    const second = await deploy(daemon, mcpId, 'staging')
    const answer = await act(first.deployment_id, 'start')
    expect(answer.status).toBe(409)
    expect(answer.body.error.message).toContain(second.deployment_id)
    expect((await status(first.deployment_id)).status).toBe('stopped')
  })

  test('restart replaces the instances of a deployment', async () => {
    const { deployment_id, url } = await deploy(
      daemon,
      await buildServer(daemon, echoServer('again')),
      'production',
    )
    const before = (await status(deployment_id)).instances[0].pid
    const { body } = await act(deployment_id, 'restart')
    expect(body.data.status).toBe('deployed')
    expect(body.data.instances[0].pid).not.toBe(before)
    expect(await say(url)).toBe('You said hello')
  })

  test('rollback deploys the previous build with its configuration', async () => {
    const env = [{ name: 'GREETING', required: false }]
    const one = await buildServer(daemon, { ...version('rolled', 'one {{ env.GREETING }}'), env })
    const two = await buildServer(daemon, { ...version('rolled', 'two'), env })
    const first = await deploy(daemon, one, 'production', { env_vars: { GREETING: 'hi' } })
    const second = await deploy(daemon, two, 'production')
    const { status: code, body } = await act(second.deployment_id, 'rollback')
    expect([code, body.data.status]).toEqual([201, 'deployed'])
    expect(body.data.deployment_id).not.toBe(first.deployment_id)
    expect(await say(first.url)).toBe('one hi')
    const forward = await act(body.data.deployment_id, 'rollback', { body: { to: second.deployment_id } })
    expect(forward.status).toBe(201)
    expect(await say(first.url)).toBe('two')
    const three = await deploy(daemon, await buildServer(daemon, version('rolled', 'three')), 'production')
    await act(three.deployment_id, 'rollback', { body: { to: first.deployment_id } })
    expect(await say(first.url)).toBe('one hi')
  })

  test('rollback without an earlier deployment returns 409', async () => {
    const { deployment_id } = await deploy(
      daemon,
      await buildServer(daemon, echoServer('only')),
      'production',
    )
    expect((await act(deployment_id, 'rollback')).status).toBe(409)
    const other = await deploy(daemon, await buildServer(daemon, echoServer('other')), 'production')
    expect((await act(deployment_id, 'rollback', { body: { to: other.deployment_id } })).status).toBe(409)
  })

  test('DELETE stops and removes a deployment', async () => {
    const { deployment_id, url } = await deploy(
      daemon,
      await buildServer(daemon, echoServer('gone')),
      'production',
    )
    expect((await daemon.api('DELETE', `/v1/deploy/${deployment_id}`)).status).toBe(204)
    expect((await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)).status).toBe(404)
    expect(await listening(url)).toBe(false)
  })
})
