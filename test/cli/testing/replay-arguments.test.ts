import { expect, test } from 'vitest'
import { replayArguments } from '../../../src/cli/testing/replay-arguments.ts'

const recorded = { arguments: { city: 'Oslo', days: 3, metric: true, tags: ['a'], near: { km: 1 } } }

test.each([
  ['days=5', { days: 5 }],
  ['days=many', { days: 'many' }],
  ['metric=false', { metric: false }],
  ['metric=maybe', { metric: 'maybe' }],
  ['city=7', { city: '7' }],
  ['city:=7', { city: 7 }],
  ['tags=b,c', { tags: ['b', 'c'] }],
  ['near={"km":2}', { near: { km: 2 } }],
  ['citys=Lima', { citys: 'Lima' }],
  ['day:=1', { day: 1 }],
])('%s replaces or adds an argument', (word, changed) => {
  expect(replayArguments(recorded, [word])).toEqual({ ...recorded.arguments, ...changed })
})

test('a redacted argument requires a new value', () => {
  const secret = { arguments: { city: 'Oslo', token: '[redacted]' } }
  expect(() => replayArguments(secret, ['city=Lima'])).toThrow('"token" contains a secret')
  expect(replayArguments(secret, ['token=x'])).toEqual({ city: 'Oslo', token: 'x' })
})
