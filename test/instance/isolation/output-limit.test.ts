import { expect, test } from 'vitest'
import { OutputLimit } from '../../../src/instance/isolation/output-limit.ts'

const KB = 1024

function createLimit() {
  const clock = { ms: 0 }
  return { clock, limit: new OutputLimit(() => clock.ms) }
}

test('the output limit allows a burst of one megabyte', () => {
  const { limit } = createLimit()
  expect(limit.allows(1024 * KB)).toBe(true)
  expect(limit.takeReport()).toBeUndefined()
})

test('the output limit allows 256 KB per second in the long run', () => {
  const { clock, limit } = createLimit()
  let taken = 0
  for (; clock.ms < 20_000; clock.ms += 10) for (let i = 0; i < 10; i++) if (limit.allows(KB)) taken++
  expect(taken).toBeGreaterThan(1024 + 256 * 18)
  expect(taken).toBeLessThanOrEqual(1024 + 256 * 20)
})

test('counts dropped lines and reports them once', () => {
  const { limit } = createLimit()
  limit.allows(1024 * KB)
  expect([limit.allows(2 * KB), limit.allows(3 * KB)]).toEqual([false, false])
  expect(limit.takeReport()).toBe('2 lines (5 KB) of output were dropped (limit 256 KB per second)')
  expect(limit.takeReport()).toBeUndefined()
})

test('drops a line larger than a burst, but not the next one', () => {
  const { limit } = createLimit()
  expect(limit.allows(2048 * KB)).toBe(false)
  expect(limit.allows(KB)).toBe(true)
})
