import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proofOf } from '../../../src/shared/daemon-proof.ts'
import { VERSION } from '../../../src/shared/version.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
let stops = 0

beforeAll(async () => {
  daemon = await startTestDaemon({ requestStop: () => stops++ })
})

afterAll(() => daemon.close())

const health = async (id: string) => (await daemon.api('GET', `/api/lambda-deploy/${id}/health`)).body

describe('the daemon', () => {
  test('the daemon identifies itself without a key', async () => {
    const { status, body } = await daemon.api('GET', `/health?challenge=${proofOf('test-nonce').challenge}`, {
      key: null,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ok',
      proof: proofOf('test-nonce').answer,
      version: VERSION,
      pid: process.pid,
      startedAt: expect.any(String),
    })
  })

  test('the daemon proves its identity only to clients that know the first half of its nonce', async () => {
    for (const challenge of ['t', 'other', 'nonce', 'test-nonce']) {
      const { body } = await daemon.api('GET', `/health?challenge=${challenge}`, { key: null })
      expect(body.proof).toBeUndefined()
      expect(JSON.stringify(body)).not.toContain('nonce')
    }
  })

  test('stopping the daemon requires a key, and the daemon responds before it stops', async () => {
    expect((await daemon.api('POST', '/api/daemon/stop', { key: null })).status).toBe(401)
    expect(stops).toBe(0)
    expect((await daemon.api('POST', '/api/daemon/stop')).status).toBe(202)
    await expect.poll(() => stops).toBe(1)
  })
})

describe('a deployment', () => {
  test('a production deployment is healthy when its instances answer', async () => {
    const mcpId = await buildServer(daemon)
    const { deployment_id, url } = await deploy(daemon, mcpId, 'production', {
      scaling: { min_instances: 2 },
    })
    await callTool(url, 'say', { text: 'hello' })
    const report = await health(deployment_id)
    expect(report).toMatchObject({
      deploymentId: deployment_id,
      status: 'healthy',
      checkedAt: expect.any(String),
      requests: { errors: 0, errorRate: 0 },
    })
    expect(report.instances).toHaveLength(2)
    expect(report.instances[0]).toMatchObject({ state: 'ready', pid: expect.any(Number), restarts: 0 })
    expect(
      report.checks.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`),
    ).toEqual(['state pass', 'instances pass', 'errors pass', 'endpoint pass'])
  })

  test('a deployment counts its requests', async () => {
    const { deployment_id, url } = await deploy(
      daemon,
      await buildServer(daemon, echoServer('counted')),
      'production',
    )
    await callTool(url, 'say', { text: 'hello' })
    await expect.poll(async () => (await health(deployment_id)).requests.total).toBeGreaterThanOrEqual(2)
  })

  test('a sleeping deployment is healthy and is not woken by the check', async () => {
    const { deployment_id } = await deploy(
      daemon,
      await buildServer(daemon, echoServer('sleeper')),
      'staging',
    )
    await daemon.restart()
    const report = await health(deployment_id)
    expect(report).toMatchObject({ status: 'healthy', instances: [] })
    expect(report.checks[1].message).toMatch(/asleep/)
  })

  test('a stopped deployment reports that it is stopped', async () => {
    const { deployment_id } = await deploy(daemon, await buildServer(daemon, echoServer('off')), 'staging')
    await daemon.api('POST', `/v1/deploy/${deployment_id}/stop`)
    expect(await health(deployment_id)).toMatchObject({ status: 'stopped', checks: [] })
  })
})
