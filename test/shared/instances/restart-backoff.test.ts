import { expect, test } from 'vitest'
import { restartDelayMs } from '../../../src/shared/instances/restart-backoff.ts'

test('restarts immediately after the first failure in a row', () => {
  expect(restartDelayMs(1, () => 1)).toBe(0)
})

test('the maximum pause doubles with each failure, up to 30 s', () => {
  expect([2, 3, 4, 5, 20].map(failures => restartDelayMs(failures, () => 1))).toEqual([
    200, 400, 800, 1600, 30_000,
  ])
})

test('the pause is random between zero and the maximum', () => {
  expect(restartDelayMs(3, () => 0)).toBe(0)
  expect(restartDelayMs(3, () => 0.5)).toBe(200)
})
