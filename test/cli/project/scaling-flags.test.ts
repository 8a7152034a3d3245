import { expect, test } from 'vitest'
import { checkScalingFlags, mergeScaling } from '../../../src/cli/project/scaling-flags.ts'

const file = { min_instances: 3, max_instances: 4 }

test('--min and --max override the project file independently', () => {
  expect(mergeScaling(undefined, {})).toBeUndefined()
  expect(mergeScaling(file, {})).toBe(file)
  expect(mergeScaling(file, { max: 8 })).toEqual({ min_instances: 3, max_instances: 8 })
  expect(mergeScaling(undefined, { min: 2 })).toEqual({ min_instances: 2 })
})

test.each([
  [undefined, { min: 5, max: 2 }, '--min (5) must not exceed --max (2).'],
  [file, { max: 2 }, 'min_instances (3) of the project file must not exceed --max (2).'],
  [file, { min: 5 }, '--min (5) must not exceed max_instances (4) of the project file. Set --max, too.'],
  [undefined, { min: 11 }, '--min (11) must not exceed the default maximum (10). Set --max, too.'],
])('the error for a minimum above the maximum (%j, %j) names their sources', (base, flags, message) => {
  expect(() => mergeScaling(base, flags)).toThrow(message)
})

test('before the build, --min and --max are checked only against each other', () => {
  expect(() => checkScalingFlags({ min: 5, max: 2 })).toThrow('--min (5) must not exceed --max (2).')
  expect(() => checkScalingFlags({ min: 11 })).not.toThrow()
})
