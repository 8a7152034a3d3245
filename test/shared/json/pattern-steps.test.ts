import { expect, test } from 'vitest'
import { estimateSteps } from '../../../src/shared/json/pattern-steps.ts'

test.each([
  ['alternatives in a repeated group', '^(a|a|a|a)*$', 16],
  ['many groups of alternatives', `^${'(a|a)'.repeat(28)}$`, 28],
  ['many optional characters', `^${'a?'.repeat(28)}${'a'.repeat(28)}$`, 56],
  ['a repeated group', '^(a+)+$', 30],
])('estimates more than a million steps for %s', (_name, source, length) => {
  expect(estimateSteps(source)(length)).toBeGreaterThan(1e6)
})

test.each([
  ['^[a-z]{1,20}$', 200],
  ['^(?:red|green|blue)$', 100],
  ['^https?://', 8192],
  ['^[a-z0-9]+(-[a-z0-9]+)*$', 16],
])('estimates fewer than a million steps for %s', (source, length) => {
  expect(estimateSteps(source)(length)).toBeLessThan(1e6)
})
