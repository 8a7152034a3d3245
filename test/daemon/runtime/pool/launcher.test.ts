import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InstanceSet } from '../../../../src/daemon/runtime/pool/instance-set.ts'
import { Launcher } from '../../../../src/daemon/runtime/pool/launcher.ts'
import { POOL_LIMITS } from '../../../../src/daemon/runtime/pool/pool-options.ts'
import { describeServed } from '../../../helpers/instance/runtime-harness.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // Makes every restart wait for its longest delay.
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A launcher whose starts all fail. */
function launchFailing() {
  const starts: number[] = []
  const failures: Error[] = []
  const logged: string[] = []
  const place = () => {
    starts.push(Date.now())
    throw new Error('could not be started')
  }
  const launcher = new Launcher({
    served: describeServed('dep_a'),
    options: {
      placements: { dedicated: place, shared: place },
      limits: POOL_LIMITS,
      onFailed() {},
      onTraffic() {},
      onInstance() {},
      log: (_id, _level, message) => void logged.push(message),
    },
    instances: new InstanceSet({ onMetrics() {}, onFailed() {}, onState() {}, onWake() {} }),
    isMissing: true,
    listsOnly: false,
    onReady() {},
    onGiveUp: error => void failures.push(error),
  })
  const startedAt = Date.now()
  void launcher.launch()
  return { launcher, failures, logged, startedAtMs: () => starts.map(at => at - startedAt) }
}

test('restarts back off, and the fifth failure is the last', () => {
  const { startedAtMs, failures, logged } = launchFailing()
  vi.advanceTimersByTime(120_000)
  expect(startedAtMs()).toEqual([0, 0, 200, 600, 1400])
  expect(logged).toEqual(
    ['now', 'in 200 ms', 'in 400 ms', 'in 800 ms'].map(
      when => `an instance could not be started; restarting ${when}`,
    ),
  )
  expect(failures.map(({ message }) => message)).toEqual([
    'Server "dep_a" failed 5 times within 60 s; the last time its process could not be started.',
  ])
  expect(vi.getTimerCount()).toBe(0)
})

test('a cancelled restart starts no instance', () => {
  const { launcher, startedAtMs } = launchFailing()
  vi.advanceTimersByTime(100)
  expect(launcher.pendingRestarts).toBe(1)
  launcher.cancelRestarts()
  vi.advanceTimersByTime(120_000)
  expect(startedAtMs()).toEqual([0, 0])
})
