import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killBuilds } from '../../../scripts/kill-builds.ts'
import { seedSmallBase } from '../../helpers/containers/small-base.ts'

test('a daemon killed during container builds finishes each exactly once, loses no log line and leaves nothing behind', {
  timeout: 120_000,
}, async () => {
  const { problems, statuses, interrupted, linesShown } = await killBuilds(16, 2, home =>
    seedSmallBase(join(home, 'images')),
  )
  expect(problems).toEqual([])
  expect(statuses.succeeded! + (statuses.failed ?? 0)).toBe(16)
  expect(statuses.failed ?? 0).toBe(interrupted)
  expect(linesShown).toBeGreaterThan(16)
})
