import { expect, test } from 'vitest'
import { restartDelayMs } from '../../src/shared/restart-backoff.ts'

test('the first failure in a row is followed by a restart at once', () => {
  expect(restartDelayMs(1, () => 1)).toBe(0)
})

test('the longest pause doubles with each failure, up to half a minute', () => {
  expect([2, 3, 4, 5, 20].map(failures => restartDelayMs(failures, () => 1))).toEqual([
    200, 400, 800, 1600, 30_000,
  ])
})

test('the pause lies anywhere between nothing and the longest one', () => {
  expect(restartDelayMs(3, () => 0)).toBe(0)
  expect(restartDelayMs(3, () => 0.5)).toBe(200)
})
