import { mkdirSync, readdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOG_LIMITS, LogRotator } from '../../../../src/daemon/runtime/logs/log-rotation.ts'
import { LogStore } from '../../../../src/daemon/runtime/logs/log-store.ts'
import { post, RuntimeHarness } from '../../../helpers/instance/runtime-harness.ts'

test('rotates large logs of running instances and removes old logs', async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  const [instance] = harness.supervisor.report('dep_a').instances
  const folder = join(harness.logsDir, 'dep_a')
  truncateSync(join(folder, `${instance!.id}.log`), LOG_LIMITS.segmentBytes + 1)
  const stopped = join(harness.logsDir, 'dep_stopped')
  mkdirSync(stopped)
  for (const name of ['old', 'new']) writeFileSync(join(stopped, `${name}.log`), '{}\n')
  utimesSync(join(stopped, 'old.log'), 1, 1)

  const errors: unknown[] = []
  const rotator = new LogRotator(
    harness.supervisor,
    new LogStore(harness.logsDir),
    error => errors.push(error),
    1,
  )
  await harness.until(() => readdirSync(folder).includes(`${instance!.id}.1.log`))
  await harness.until(() => !readdirSync(stopped).includes('old.log'))
  await rotator.close()
  expect(readdirSync(stopped)).toEqual(['new.log'])
  expect(errors).toEqual([])
})

test("rotates the daemon's large log about a sleeping server", async () => {
  await using harness = new RuntimeHarness()
  await harness.add('dep_asleep')
  const folder = join(harness.logsDir, 'dep_asleep')
  mkdirSync(folder)
  writeFileSync(join(folder, 'daemon.log'), '')
  truncateSync(join(folder, 'daemon.log'), LOG_LIMITS.segmentBytes + 1)
  const rotator = new LogRotator(harness.supervisor, new LogStore(harness.logsDir), console.error, 1)
  await harness.until(() => readdirSync(folder).includes('daemon.1.log'))
  await rotator.close()
})

test('log rotation checks every instance with user code, and others only after requests since the last check', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_declared', { placement: 'shared' })
  await harness.add('dep_code')
  for (const id of ['dep_declared', 'dep_code']) await harness.supervisor.start(id)
  const namesSince = (since?: number) => harness.supervisor.running(since).map(({ id }) => id)
  expect(namesSince()).toEqual(['dep_declared', 'dep_code'])
  const since = Date.now() + 1
  expect(namesSince(since + 60_000)).toEqual(['dep_code'])
  await post(url)
  await harness.until(() => Date.now() > since)
  await post(url)
  await harness.until(() => namesSince(since).includes('dep_declared'))
})
