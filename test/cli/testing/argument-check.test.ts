import { expect, test } from 'vitest'
import { fitsSchema } from '../../../src/cli/testing/argument-check.ts'

const schema = { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] }

test.each([
  [{ days: 1 }, true],
  [{ days: 'x' }, false],
  [{}, false],
])('arguments %j fit the schema: %s', async (args, fits) => {
  expect(await fitsSchema(args, schema)).toBe(fits)
})

test('any arguments fit an invalid schema', async () => {
  expect(await fitsSchema({}, { $ref: '#/$defs/none' })).toBe(true)
})
