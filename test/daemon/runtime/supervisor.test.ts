import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { HostingError } from '../../../src/shared/errors.ts'
import {
  describeServed,
  post,
  RuntimeHarness,
  servedBy,
  waitUntil,
} from '../../helpers/instance/runtime-harness.ts'
import { isRunning } from '../../helpers/processes.ts'

test('start resolves when the minimum number of instances is ready, each in its own process', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a', { scaling: { min: 3, max: 5 } })
  await harness.supervisor.start('dep_a')
  const { instances } = harness.supervisor.report('dep_a')
  expect(instances.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready'])
  expect(new Set(harness.pids('dep_a')).size).toBe(3)
})

test('an added deployment sleeps until its first connection', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  expect(harness.supervisor.report('dep_a')).toEqual({ instances: [] })
  expect(await servedBy(url)).toMatchObject({ tenantId: 'dep_a' })
  expect(harness.messages('dep_a')[0]).toBe('woken by a connection')
})

test('an artifact that the instance refuses fails the start with the message of the instance', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a', { behaviour: { refuse: 'tools[0]: unknown filter "shout"' } })
  await expect(harness.supervisor.start('dep_a')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'Server "dep_a" did not start: tools[0]: unknown filter "shout".',
  })
  expect(harness.failures).toEqual([])
})

test('an artifact that cannot be read fails the start with the same error', async () => {
  await using harness = new RuntimeHarness()
  const lost = new HostingError('NOT_FOUND', 'The artifact is gone.')
  await harness.add('dep_a', {
    loadArtifact() {
      throw lost
    },
  })
  await expect(harness.supervisor.start('dep_a')).rejects.toBe(lost)
})

test('a program that exits at every start fails the start with its last output', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a', { behaviour: { exitWith: 'cannot find the moon' } })
  const failure = await harness.supervisor.start('dep_a').catch(error => error)
  expect(failure.message).toContain(
    'failed 5 times within 60 s; the last time its process crashed with exit code 3',
  )
  expect(failure.details).toContain('cannot find the moon')
  expect(harness.supervisor.report('dep_a').instances).toEqual([])
})

test('a process that does not serve in time is killed', async () => {
  await using harness = new RuntimeHarness({ limits: { startMs: 20 } })
  await harness.add('dep_a', { behaviour: { hang: true } })
  await expect(harness.supervisor.start('dep_a')).rejects.toThrow('was killed by SIGKILL')
})

test('a crash loop after a successful start is reported', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { behaviour: { exitAfterMs: 0 } })
  await harness.supervisor.start('dep_a')
  await harness.until(() => harness.failures.length > 0)
  expect(harness.failures[0]).toMatchObject({ id: 'dep_a', error: { code: 'UNAVAILABLE' } })
  const { status, text } = await post(url)
  expect(status).toBe(503)
  expect(text).toContain('failed 5 times')
})

test('a failed deployment serves again after a new start', async () => {
  await using harness = new RuntimeHarness()
  const behaviour = { refuse: 'not yet' as string | undefined }
  const url = await harness.add('dep_a', { behaviour })
  await expect(harness.supervisor.start('dep_a')).rejects.toThrow('not yet')
  behaviour.refuse = undefined
  await harness.supervisor.start('dep_a')
  expect(await servedBy(url)).toMatchObject({ tenantId: 'dep_a' })
})

test('a killed instance is replaced every time', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  for (let round = 1; round <= 7; round++) {
    const { pid } = await servedBy(url)
    process.kill(pid, 'SIGKILL')
    await harness.until(() => !harness.pids('dep_a').includes(pid))
  }
  await servedBy(url)
  expect(harness.supervisor.report('dep_a').instances).toMatchObject([{ state: 'ready', restarts: 7 }])
  expect(harness.failures).toEqual([])
})

test('the output of a dedicated process is in the folder of its deployment', async () => {
  await using harness = new RuntimeHarness({ warmSpares: 1 })
  await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const [instance] = harness.supervisor.report('dep_a').instances
  expect(readdirSync(join(harness.logsDir, 'dep_a'))).toEqual([`${instance!.id}.log`])
})

test("log files of a dead daemon's spares are removed", async () => {
  await using first = new RuntimeHarness({ warmSpares: 1 })
  const [left] = readdirSync(join(first.logsDir, 'spares'))
  await using second = new RuntimeHarness({ logsDir: first.logsDir })
  expect(existsSync(join(second.logsDir, 'spares', left!))).toBe(false)
})

test('removing a deployment cuts off open connections and leaves no process', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const pids = harness.pids('dep_a')
  const cut = post(`${url}/slow?ms=60000`)
  await harness.until(() => harness.supervisor.report('dep_a').instances[0]?.activeRequests === 1)
  const [, ended] = await Promise.allSettled([harness.supervisor.remove('dep_a'), cut])
  expect(ended.status).toBe('rejected')
  expect(pids.filter(isRunning)).toEqual([])
  expect(harness.supervisor.has('dep_a')).toBe(false)
})

test.each([
  ['waits for active requests', '/until-drain', undefined, 'fulfilled'],
  ['cuts off requests that exceed its limit', '/slow?ms=60000', 20, 'rejected'],
])('draining a deployment %s', async (_what, path, drainMs, outcome) => {
  await using harness = new RuntimeHarness(drainMs ? { limits: { drainMs } } : {})
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const active = post(url + path)
  await harness.until(() => harness.supervisor.report('dep_a').instances[0]?.activeRequests === 1)
  const [{ status }] = await Promise.allSettled([active, harness.supervisor.drain('dep_a')])
  expect(status).toBe(outcome)
})

test('the same deployment can be removed and added again while it is still draining', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const cut = post(`${url}/slow?ms=60000`)
  await harness.until(() => harness.supervisor.report('dep_a').instances[0]?.activeRequests === 1)
  const drained = harness.supervisor.drain('dep_a')
  await Promise.allSettled([harness.supervisor.remove('dep_a'), cut])
  harness.supervisor.add(describeServed('dep_a'))
  await harness.supervisor.start('dep_a')
  await drained
  expect(await servedBy(url)).toMatchObject({ tenantId: 'dep_a' })
})

test('closing the supervisor leaves no process', async () => {
  await using harness = new RuntimeHarness({ warmSpares: 2 })
  await harness.add('dep_a', { scaling: { min: 2, max: 2 } })
  await harness.add('mcp_b', { placement: 'shared' })
  await Promise.all([harness.supervisor.start('dep_a'), harness.supervisor.start('mcp_b')])
  const pids = [...harness.pids('dep_a'), ...harness.pids('mcp_b')]
  expect(pids.filter(isRunning)).toHaveLength(3)
  await harness.supervisor.close()
  expect(pids.filter(isRunning)).toEqual([])
})

test('closing the supervisor does not wait for processes that hang', async () => {
  await using harness = new RuntimeHarness({ termination: { requestMs: 50, terminateMs: 50 } })
  await harness.add('dep_a')
  await harness.add('mcp_b', { placement: 'shared' })
  await Promise.all([harness.supervisor.start('dep_a'), harness.supervisor.start('mcp_b')])
  const pids = [...harness.pids('dep_a'), ...harness.pids('mcp_b')]
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  await harness.supervisor.close()
  expect(pids.filter(isRunning)).toEqual([])
})

test('when the daemon is killed, its processes exit', async () => {
  const program = fileURLToPath(new URL('../../fixtures/small-runtime.ts', import.meta.url))
  const daemon = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [text] = await once(daemon.stdout, 'data')
  const { logsDir, pids } = JSON.parse(text) as { logsDir: string; pids: number[] }
  expect(pids.filter(isRunning)).toHaveLength(2)
  daemon.kill('SIGKILL')
  await waitUntil(() => !pids.some(isRunning))
  rmSync(logsDir, { recursive: true })
})

test('too many concurrent requests for one instance start another one', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { scaling: { min: 1, max: 2 } })
  const slow = Array.from({ length: 80 }, () => post(`${url}/slow?ms=60000`).catch(() => {}))
  await harness.until(() => harness.pids('dep_a').length === 2)
  expect(harness.messages('dep_a')).toContain('scaled from 1 to 2 instances')
  await harness.supervisor.remove('dep_a')
  await Promise.all(slow)
})

test('add throws while the supervisor is closing', async () => {
  await using harness = new RuntimeHarness()
  const closed = harness.supervisor.close()
  expect(() => harness.supervisor.add(describeServed('dep_a'))).toThrow('The daemon is stopping')
  await closed
})

test('adding an id twice throws', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a')
  expect(() => harness.supervisor.add(describeServed('dep_a'))).toThrow('"dep_a" is already being served')
})

test('holdLog makes an instance hold its log, and resolves with a function that makes it resume', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const [instance] = harness.supervisor.report('dep_a').instances
  const log = () => readFileSync(join(harness.logsDir, 'dep_a', `${instance!.id}.log`), 'utf8')
  const resume = await harness.supervisor.holdLog('dep_a', instance!.id)
  expect(log()).toBe('hold-log\n')
  resume()
  await expect.poll(log).toBe('hold-log\nresume-log\n')
})
