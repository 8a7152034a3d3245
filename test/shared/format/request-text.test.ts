import { expect, test } from 'vitest'
import { argumentsText, outcomeText } from '../../../src/shared/format/request-text.ts'

test.each([
  [{ outcome: 'ok' }, 'ok'],
  [{ outcome: 'error', reason: 'no\ncity' }, 'error: no city'],
  [{ outcome: 'error' }, 'error'],
  [{ outcome: 'error', status: 403 }, ''],
  [{}, ''],
] as [Parameters<typeof outcomeText>[0], string][])('the outcome of %j is %j', (line, text) => {
  expect(outcomeText(line)).toBe(text)
})

test.each([
  [{ city: 'Oslo' }, '{"city":"Oslo"}'],
  ['{"city":"Os…', '{"city":"Os…'],
  [{}, ''],
  [undefined, ''],
])('the text of the arguments %j is %j', (args, text) => {
  expect(argumentsText(args)).toBe(text)
})
