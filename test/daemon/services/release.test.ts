import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { post } from '../../helpers/instance/runtime-harness.ts'
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
const buildEcho = (name: string, data: object) => buildServer(daemon, echoServer(name, { data }))
const tryDeploy = async (mcp_id: string, environment: string) =>
  (await daemon.api('POST', '/v1/deploy', { body: { mcp_id, environment } })).body.data

async function ask(url: string) {
  const answer = await fetch(url, { headers: { connection: 'close' } })
  return (await answer.json()) as { pid: number; tenantId: string }
}

describe.each(['production', 'staging'])('a release in %s', environment => {
  test('a release fails with the reason when the server cannot start, and the old deployment keeps serving', async () => {
    const name = `refusing-${environment}`
    const old = await deploy(daemon, await buildEcho(name, {}), environment)
    const failed = await tryDeploy(await buildEcho(name, { refuse: 'no such thing' }), environment)
    expect(failed).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('no such thing') },
    })
    expect((await status(old.deployment_id)).status).toBe('deployed')
    expect((await ask(old.url)).tenantId).toBe(old.deployment_id)
  })

  test('a first release that fails refuses connections', async () => {
    const failed = await tryDeploy(await buildEcho(`first-${environment}`, { refuse: 'no' }), environment)
    expect(failed.status).toBe('failed')
    await expect(fetch(failed.url)).rejects.toThrow()
  })

  test('a release drops no request during the switch', async () => {
    const mcpId = await buildEcho(`busy-${environment}`, {})
    const { url } = await deploy(daemon, mcpId, environment)
    const seen = new Set<string>()
    let running = true
    const client = async () => {
      while (running) seen.add((await ask(url)).tenantId)
    }
    const clients = [client(), client(), client()]
    const second = await deploy(daemon, mcpId, environment)
    await expect.poll(() => seen.has(second.deployment_id)).toBe(true)
    running = false
    await Promise.all(clients)
    expect(seen.size).toBe(2)
  })
})

describe('a deployment', () => {
  test('a deployment whose program exits at start shows its last log lines', async () => {
    const failed = await tryDeploy(
      await buildEcho('dying', { exitWith: 'cannot find module "x"' }),
      'production',
    )
    expect(failed.status).toBe('failed')
    expect(failed.error.details ?? failed.error.message).toContain('cannot find module "x"')
  })

  test('a failed deployment can be started again and fails again', async () => {
    const { deployment_id } = await tryDeploy(
      await buildEcho('stubborn', { refuse: 'still no' }),
      'production',
    )
    const { status: code, body } = await daemon.api('POST', `/v1/deploy/${deployment_id}/start`)
    expect([code, body.data.status]).toEqual([200, 'failed'])
    expect(body.data.error.message).toContain('still no')
  })

  test('a deployment stopped during start-up stays stopped', async () => {
    const mcp_id = await buildEcho('hanging', { hang: true })
    const { body } = await daemon.api('POST', '/v1/deploy', {
      body: { mcp_id, environment: 'production' },
      headers: { prefer: 'respond-async' },
    })
    const { deployment_id } = body.data
    const stopped = await daemon.api('POST', `/v1/deploy/${deployment_id}/stop`)
    expect(stopped.body.data.status).toBe('stopped')
    expect((await status(deployment_id)).status).toBe('stopped')
  })

  test('a stopped deployment finishes a running request and refuses the next one', async () => {
    const { deployment_id, url } = await deploy(daemon, await buildEcho('stopping', {}), 'production')
    const slow = post(new URL('/slow?ms=500', url).href)
    // This request was sent later, so the slow one is running by now.
    await ask(url)
    await daemon.api('POST', `/v1/deploy/${deployment_id}/stop`)
    expect((await slow).status).toBe(200)
    await expect(fetch(url)).rejects.toThrow()
  })

  test('a deployment in a crash loop fails and its address closes', async () => {
    const { deployment_id, url } = await deploy(
      daemon,
      await buildEcho('crashing', { exitAfterMs: 1 }),
      'production',
    )
    await expect.poll(async () => (await status(deployment_id)).status).toBe('failed')
    expect((await status(deployment_id)).error.message).toBeTruthy()
    await expect(fetch(url)).rejects.toThrow()
  })

  test('a deployment serves again after its process was killed', async () => {
    const { deployment_id, url } = await deploy(daemon, await buildEcho('resilient', {}), 'production')
    const { pid } = await ask(url)
    process.kill(pid, 'SIGKILL')
    await expect.poll(async () => (await ask(url).catch(() => ({ pid }))).pid).not.toBe(pid)
    expect((await status(deployment_id)).status).toBe('deployed')
    const health = await daemon.api('GET', `/api/lambda-deploy/${deployment_id}/health`)
    expect(health.body).toMatchObject({ status: 'healthy', instances: [{ state: 'ready', restarts: 1 }] })
  })
})
