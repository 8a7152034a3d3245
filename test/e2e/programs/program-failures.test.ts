import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createHome, eventually } from '../../helpers/daemon/mcp.ts'
import { callModern, FIXTURE } from '../../helpers/instance/programs.ts'
import { descendantsOf, isRunning } from '../../helpers/processes.ts'
import { host } from './hosted-program.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

describe('a program that fails or is not sandboxed', () => {
  test('the build of a program that is not a server fails with its output', async () => {
    const { build } = await host(daemon, 'no-server', {
      command: 'sh',
      args: ['-c', 'echo "no key given" >&2; exit 7'],
    })
    expect(build).toMatchObject({ status: 'failed', error: { details: 'no key given' } })
    expect(build.error?.message).toContain('exited with code 7')
  })

  test('status and log report a missing sandbox', async () => {
    const { deployment } = await host(daemon, 'bare', {
      command: 'node',
      args: [FIXTURE],
      isolation: { sandbox: 'off' },
    })
    const status = await daemon.api('GET', `/v1/deploy/${deployment.deployment_id}/status`)
    const gap = 'runs without a sandbox, because isolation.sandbox is "off"'
    expect(status.body.data.isolation).toEqual({ sandbox: 'none', gaps: [gap] })
    await callModern(deployment.url, 'env')
    const log = () => daemon.api('GET', `/api/lambda-deploy/${deployment.deployment_id}/logs`)
    await eventually(async () => (await log()).text.includes('the program runs without a sandbox'))
  })

  test('mcp up and mcp status report a missing sandbox', async () => {
    const home = createHome()
    // A PATH without bubblewrap.
    const options = { env: { ...home.env, PATH: dirname(process.execPath) } }
    try {
      const up = await home.mcp(['up', '--command', `node ${FIXTURE}`, '--name', 'bare'], options)
      const gap = 'runs without a sandbox, because bubblewrap is not installed here'
      expect(up.stdout).toContain(`Warning: its code ${gap}\n`)
      expect((await home.mcp(['status', 'bare'], options)).stdout).toContain(`warning its code ${gap}\n`)
      const isolation = { sandbox: 'none', gaps: [gap] }
      expect(await home.json(['status', 'bare'], options)).toMatchObject({ isolation })
    } finally {
      await home.remove()
    }
  })

  test('a build uses its variables without storing them', async () => {
    const command = {
      command: 'sh',
      args: ['-c', `test "$KEY" = k-123 && exec ${process.execPath} ${FIXTURE}`],
    }
    const body = { name: 'needs-key', template: 'custom', program: { type: 'stdio', ...command } }
    expect((await daemon.api('POST', '/v1/build', { body })).body.data.status).toBe('failed')
    const env_vars = { KEY: 'k-123' }
    const build = (await daemon.api('POST', '/v1/build', { body: { ...body, env_vars } })).body.data
    expect(build.status).toBe('ready')
    const artifact = await daemon.api('GET', `/v1/build/${build.mcp_id}/artifact`)
    expect(artifact.text).not.toContain('k-123"')
  })

  test('errors and logs hide values of variables that a program prints', async () => {
    const secret = 'hunter2-of-the-shop'
    const args = ['-e', 'console.error("cannot use " + process.env.PASS); process.exit(3)']
    const program = { type: 'stdio', command: process.execPath, args }
    const body = { name: 'tells', template: 'custom', program, env_vars: { PASS: secret } }
    const { body: answer } = await daemon.api('POST', '/v1/build', { body })
    expect(answer.data.error.details).toContain('cannot use [redacted]')
    expect(JSON.stringify(answer)).not.toContain(secret)
    const logs = readdirSync(daemon.home.logs, { recursive: true, encoding: 'utf8' })
      .map(name => join(daemon.home.logs, name))
      .filter(path => statSync(path).isFile())
    expect(logs.filter(path => readFileSync(path, 'utf8').includes(secret))).toEqual([])
  })

  test('a program does not get the secrets and settings of the daemon', async () => {
    process.env.OWN_SECRET = 'of the daemon'
    const { deployment } = await host(
      daemon,
      'surroundings',
      { command: process.execPath, args: [FIXTURE] },
      { env_vars: { GIVEN: '1' } },
    )
    const env = JSON.parse(await callModern(deployment.url, 'env'))
    delete process.env.OWN_SECRET
    expect(env).toMatchObject({ GIVEN: '1' })
    for (const name of ['OWN_SECRET', 'MCP_HOME', 'MCP_API_KEY']) expect(env[name]).toBeUndefined()
    expect(env.HOME).toContain(join('surroundings', 'development'))
  })

  test('programs exit when the daemon is killed', async () => {
    const home = createHome()
    try {
      const command = `${process.execPath} ${FIXTURE}`
      const { url } = await home.json<{ url: string }>(['deploy', '--command', command, '--name', 'orphan'])
      await callModern(url, 'grandchild')
      const { pid } = home.discovery()!
      const started = descendantsOf(pid)
      expect(started.length).toBeGreaterThan(3)
      process.kill(pid, 'SIGKILL')
      await eventually(() => !started.some(isRunning))
    } finally {
      await home.remove()
    }
  })
})
