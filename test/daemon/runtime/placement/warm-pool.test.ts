import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { WarmPool } from '../../../../src/daemon/runtime/placement/warm-pool.ts'
import type { Host } from '../../../../src/daemon/runtime/process/host.ts'
import type { Artifact } from '../../../../src/shared/definitions/artifact.ts'
import { describeServed, RuntimeHarness } from '../../../helpers/instance/runtime-harness.ts'

afterEach(() => void vi.useRealTimers())

test('a start uses a spare process, and the pool replaces the spare', async () => {
  await using harness = new RuntimeHarness({ warmSpares: 1 })
  const [spare] = spares(harness)
  await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  expect(harness.supervisor.report('dep_a').instances[0]?.id).toBe(spare)
  await harness.until(() => spares(harness).length === 1)
  expect(spares(harness)).not.toContain(spare)
})

test('deployments that start when no spare is left get new processes', async () => {
  await using harness = new RuntimeHarness({ warmSpares: 1 })
  await Promise.all(['dep_a', 'dep_b', 'dep_c'].map(id => harness.add(id)))
  await Promise.all(['dep_a', 'dep_b', 'dep_c'].map(id => harness.supervisor.start(id)))
  expect(new Set(['dep_a', 'dep_b', 'dep_c'].flatMap(id => harness.pids(id))).size).toBe(3)
})

test('the pool keeps extra spares after a shortage, until none has been taken for a while', async () => {
  vi.useFakeTimers()
  const ended = new Set<number>()
  let count = 0
  const startHost = () => {
    const number = ++count
    return stubHost({ stop: async () => void ended.add(number) })
  }
  const pool = new WarmPool({ size: 1, startHost })
  for (let instance = 0; instance < 3; instance++) pool.take()
  vi.advanceTimersByTime(150)
  expect(count).toBe(3 + 3)
  vi.advanceTimersByTime(9 * 60_000)
  pool.take()
  vi.advanceTimersByTime(9 * 60_000)
  expect([count, ended.size]).toEqual([7, 0])
  vi.advanceTimersByTime(60_000)
  expect(ended.size).toBe(2)
  await pool.close()
  expect(ended.size).toBe(3)
})

test('spares warm up, and processes that are needed immediately do not', async () => {
  const warmed: number[] = []
  let count = 0
  const startHost = () => {
    const number = ++count
    return stubHost({ warmUp: () => void warmed.push(number) })
  }
  const pool = new WarmPool({ size: 2, startHost })
  // This process is taken before it is ready, so it does not warm up.
  pool.take()
  const empty = new WarmPool({ size: 0, startHost })
  await empty.take().ready
  await expect.poll(() => warmed).toEqual([2])
  await pool.close()
  expect(count).toBe(3)
})

test('a spare that exits is replaced', async () => {
  await using harness = new RuntimeHarness({ warmSpares: 1 })
  const [spare] = spares(harness)
  process.kill(await pidOf(spare!), 'SIGKILL')
  await harness.until(() => spares(harness).length === 1 && spares(harness)[0] !== spare)
})

test('handler modules get sealed processes, and the pool keeps sealed spares once a handler module runs', async () => {
  await using harness = new RuntimeHarness({ warmSpares: 1 })
  expect(spares(harness)).toHaveLength(1)
  const artifact = describeServed('dep_a').loadArtifact()
  const sealed: Artifact = { ...artifact, template: 'custom', program: { type: 'module', bundle: '' } }
  await harness.add('dep_a', { loadArtifact: () => sealed })
  await harness.supervisor.start('dep_a')
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,args='])
  const line = stdout.split('\n').find(one => one.trim().startsWith(`${harness.pids('dep_a')[0]} `))
  expect(line).toContain('--permission')
  await harness.until(() => spares(harness).length === 3)
})

test('a pool of size 0 starts no spares', async () => {
  await using harness = new RuntimeHarness({ warmSpares: 0 })
  expect(() => spares(harness)).toThrow('ENOENT')
})

function stubHost(host: Partial<Host>): Host {
  const ended = new Promise<never>(() => {})
  return { ready: Promise.resolve(), ended, stop: async () => {}, warmUp: () => {}, ...host } as Host
}

/** Pid of the process that has this id among its arguments. */
async function pidOf(id: string): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,args='])
  return Number.parseInt(stdout.split('\n').find(line => line.includes(id))!, 10)
}

function spares(harness: RuntimeHarness): string[] {
  return readdirSync(join(harness.logsDir, 'spares')).map(name => name.replace('.log', ''))
}
