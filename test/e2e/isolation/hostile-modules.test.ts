import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { moduleSandbox } from '../../../src/daemon/engine/module-sandbox.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

const HOSTILE = fileURLToPath(new URL('../../fixtures/hostile', import.meta.url))

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url))

const NEIGHBOUR = {
  'tools/secret.mjs': `export default { description: 'Returns the secret', input: { type: 'object' }, handler: () => process.env.SECRET }`,
}

interface Deployed {
  deployment_id: string
  url: string
}

let daemon: TestDaemon
let hostile: Deployed
let neighbour: Deployed

beforeAll(async () => {
  daemon = await startTestDaemon({ memoryLimitMb: 64, hangTimeoutMs: 2500 })
  using folder = createProjectFolder(NEIGHBOUR)
  neighbour = await deployFolder(daemon, 'neighbour', folder.path, {
    request: { env: ['SECRET'] },
    config: { env_vars: { SECRET: 'of the neighbour' } },
  })
  hostile = await deployFolder(daemon, 'hostile', HOSTILE, {
    request: { env: ['MINE'] },
    // With two instances, the test might look at the wrong one.
    config: { env_vars: { MINE: 'own value' }, timeout_seconds: 0.3, scaling: { max_instances: 1 } },
  })
})
afterAll(() => daemon.close())

test('handler code reaches nothing outside its process', async () => {
  await using unix = await listenOnUnixSocket(join(daemon.home.home, 'engine.sock'))
  const [instance] = await instancesOf(neighbour)
  const { structuredContent: outcome } = await callTool(hostile.url, 'attempt', {
    home: daemon.home.home,
    daemonPid: process.pid,
    neighbourPid: instance.pid,
    neighbourPort: Number(new URL(neighbour.url).port),
    unixSocket: unix.path,
    ...programInside(),
  })
  const { outcomes, ...seen } = outcome
  const succeeded = Object.keys(outcomes).filter(name => outcomes[name] === 'succeeded')
  const sandbox = moduleSandbox()
  // Each network namespace has separate ports, so binding this one is harmless. The neighbour still answers, see below.
  const harmless = sandbox.usable && sandbox.hasNetworks ? ["bind the neighbour's port"] : []
  expect(succeeded).toEqual(harmless)
  expect(Object.keys(outcomes).length).toBeGreaterThan(40)
  expect(seen).toEqual({ environment: { MINE: 'own value' }, argv: ['node', 'server'], heard: 0 })
  expect(await restartsOf(hostile)).toBe(0)
  await expectNeighbourUnharmed()
})

/** Path of the program inside the sandbox, without its extension, and one of its loaded modules. */
function programInside(): { program: string; loaded: string } {
  const program = moduleSandbox().usable ? '/mcp/instance' : join(DIST, 'instance')
  const loaded = /"\.\/instance\/([^"]+)"/.exec(readFileSync(join(DIST, 'instance.js'), 'utf8'))![1]!
  return { program, loaded: join(program, loaded) }
}

test('the status reports the isolation of the modules', async () => {
  const { body } = await daemon.api('GET', `/v1/deploy/${hostile.deployment_id}/status`)
  const found = moduleSandbox()
  expect(body.data.isolation).toEqual(
    found.usable
      ? { sandbox: 'bubblewrap', gaps: [] }
      : { sandbox: 'none', gaps: [`runs under Node's permission model only, because ${found.why}`] },
  )
})

const ENDINGS: [how: string, expected: RegExp][] = [
  ['loop', /was killed because tool "harm" ran for [\d.]+ s without yielding/],
  ['microtasks', /was killed because tool "harm" ran for [\d.]+ s without yielding/],
  ['heap', /crashed: out of memory \(limit 64 MB\)/],
  ['buffers', /was killed: out of memory \(it used \d+ MB, limit 256 MB\)/],
  ['exit', /process\.exit\(3\) was called at .*\(tools\/harm\.mjs:\d+:\d+/],
  ['abort', /process\.abort\(\) was called at .*tools\/harm\.mjs/],
  ['rejection', /Unhandled rejection: Error: never awaited\n.*\(tools\/harm\.mjs:\d+/],
  ['exception', /Uncaught exception: Error: never caught\n.*\(tools\/harm\.mjs:\d+/],
]

test.each(ENDINGS)(
  'harmful code (%s) stops only its own instance, which is restarted, and the log says why',
  async (how, expected) => {
    if ((await restartsOf(hostile)) > 1) await forgetCrashes()
    const restarts = await restartsOf(hostile)
    await callTool(hostile.url, 'harm', { how }).catch(() => {}) // the connection may be cut
    await until(async () => (await restartsOf(hostile)) === restarts + 1)
    expect(await callTool(hostile.url, 'greet')).toMatchObject({ content: [{ text: 'hello' }] })
    const [{ lastFailure }] = await instancesOf(hostile)
    expect(lastFailure).toMatch(/^(was killed|crashed)/)
    await until(async () => expected.test((await logOf(hostile)).join('\n')))
    await expectNeighbourUnharmed()
  },
)

test('output from a handler that hangs is in the log', async () => {
  expect(await logOf(hostile)).toContain('stdout: before the loop')
})

test('a handler that never answers times out, and other calls are answered', async () => {
  const restarts = await restartsOf(hostile)
  const late = await callTool(hostile.url, 'harm', { how: 'never' })
  expect(late).toMatchObject({
    isError: true,
    content: [{ text: 'The tool "harm" did not answer within 0.3 s.' }],
  })
  expect(await callTool(hostile.url, 'greet')).toMatchObject({ content: [{ text: 'hello' }] })
  expect(await restartsOf(hostile)).toBe(restarts)
})

test('the log keeps part of a flood of output and counts the rest', async () => {
  const printed = await callTool(hostile.url, 'harm', { how: 'flood' })
  expect(printed).toMatchObject({ content: [{ text: 'printed' }] })
  const expected = /\d+ lines \(\d+ KB\) of output were dropped \(limit 256 KB per second\)/
  await until(async () => expected.test(filesOfLog()))
  expect(filesOfLog().length).toBeLessThan(4 * 1024 * 1024)
  await expectNeighbourUnharmed()
})

test('tampered prototypes affect no other server', async () => {
  await callTool(hostile.url, 'harm', { how: 'prototypes' }).catch(() => {})
  await callTool(hostile.url, 'greet').catch(() => {})
  await expectNeighbourUnharmed()
  const { status } = await daemon.api('POST', `/v1/deploy/${hostile.deployment_id}/stop`)
  expect(status).toBe(200)
})

async function expectNeighbourUnharmed(): Promise<void> {
  expect(await callTool(neighbour.url, 'secret')).toMatchObject({ content: [{ text: 'of the neighbour' }] })
  expect(await restartsOf(neighbour)).toBe(0)
  expect((await daemon.api('GET', '/health')).status).toBe(200)
}

async function logOf({ deployment_id: id }: Deployed): Promise<string[]> {
  const { body } = await daemon.api('GET', `/api/lambda-deploy/${id}/logs?limit=10000`)
  return body.lines.map((line: { stream: string; message: string }) => `${line.stream}: ${line.message}`)
}

async function instancesOf({ deployment_id: id }: Deployed) {
  const { body } = await daemon.api('GET', `/v1/deploy/${id}/status`)
  return body.data.instances
}

/** Restarts the deployment, because five exits in a row would be a crash loop. */
async function forgetCrashes(): Promise<void> {
  const { status } = await daemon.api('POST', `/v1/deploy/${hostile.deployment_id}/restart`)
  expect(status).toBe(200)
  // The previous instance may be listed until it has stopped.
  await until(async () => (await restartsOf(hostile)) === 0)
}

async function restartsOf(deployment: Deployed): Promise<number> {
  return (await instancesOf(deployment))[0]?.restarts
}

function filesOfLog(): string {
  const folder = join(daemon.home.logs, hostile.deployment_id)
  return readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20)
}

async function listenOnUnixSocket(path: string) {
  const server = createServer(socket => socket.destroy())
  await new Promise<void>(resolve => server.listen(path, resolve))
  return { path, [Symbol.asyncDispose]: async () => void server.close() }
}
