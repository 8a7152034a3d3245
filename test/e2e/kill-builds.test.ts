import { expect, test } from 'vitest'
import { killBuilds } from '../../scripts/kill-builds.ts'

test('a daemon killed amid container builds ends each once, loses no line and leaves nothing behind', {
  timeout: 120_000,
}, async () => {
  const { problems, statuses, interrupted, linesShown } = await killBuilds(24, 3)
  expect(problems).toEqual([])
  expect(statuses.succeeded! + (statuses.failed ?? 0)).toBe(24)
  expect(statuses.failed ?? 0).toBe(interrupted)
  expect(linesShown).toBeGreaterThan(24)
})
