import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InstanceSet } from '../../src/daemon/runtime/instance-set.ts'
import { Launcher } from '../../src/daemon/runtime/launcher.ts'
import { describeServed } from '../helpers/runtime-harness.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // The longest pause of each.
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Every start of it fails. */
function launchFailing() {
  const starts: number[] = []
  const failures: Error[] = []
  const told: string[] = []
  const launcher = new Launcher({
    served: describeServed('dep_a'),
    placement: () => {
      starts.push(Date.now())
      throw new Error('could not be started')
    },
    instances: new InstanceSet({ onMetrics() {}, onEnded() {}, onFailed() {}, onWake() {} }),
    startMs: 30_000,
    isMissing: true,
    isDozing: false,
    onReady() {},
    onGivenUp: error => void failures.push(error),
    tell: (_level, message) => void told.push(message),
  })
  const begun = Date.now()
  launcher.launch()
  return { launcher, failures, told, startedAtMs: () => starts.map(at => at - begun) }
}

test('restarts wait for their pauses, and the fifth failure is the last', () => {
  const { startedAtMs, failures, told } = launchFailing()
  vi.advanceTimersByTime(120_000)
  expect(startedAtMs()).toEqual([0, 0, 200, 600, 1400])
  expect(told).toEqual(
    ['now', 'in 200 ms', 'in 400 ms', 'in 800 ms'].map(
      when => `an instance could not be started; restarting ${when}`,
    ),
  )
  expect(failures.map(({ message }) => message)).toEqual([
    'Server "dep_a" failed 5 times within 60 s; the last time its process could not be started.',
  ])
  expect(vi.getTimerCount()).toBe(0)
})

test('what is not wanted any more is not restarted', () => {
  const { launcher, startedAtMs } = launchFailing()
  vi.advanceTimersByTime(100)
  expect(launcher.pendingRestarts).toBe(1)
  launcher.cancelRestarts()
  vi.advanceTimersByTime(120_000)
  expect(startedAtMs()).toEqual([0, 0])
})
