import { expect, test } from 'vitest'
import { typeText, valuesText } from '../../../src/cli/output/schema-text.ts'

const root = { $defs: { count: { type: 'integer', minimum: 0 } } }

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{}, 'any'],
  [true, 'any'],
  [{ enum: ['a', 1] }, 'string or number'],
  [{ type: 'array' }, 'array'],
  [{ type: 'array', items: { type: 'string' } }, 'array of string'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer or null'],
  [{ $ref: '#/$defs/count' }, 'integer'],
])('the type of %j is described as "%s"', (schema, text) => {
  expect(typeText(schema, root)).toBe(text)
})

test.each([
  [{ type: 'string' }, ''],
  [{ enum: ['Oslo', 'New York', 'a, b', 3] }, 'Oslo, New York, "a, b", 3'],
  [{ const: 'x' }, 'x'],
  [{ type: 'integer', minimum: 1, maximum: 7, default: 3 }, '1 to 7, default 3'],
  [{ type: 'integer', minimum: 1 }, 'at least 1'],
  [{ type: 'number', exclusiveMinimum: 0, maximum: 1 }, 'at most 1, more than 0'],
  [{ type: 'number', exclusiveMaximum: 1, multipleOf: 0.5 }, 'less than 1, a multiple of 0.5'],
  [{ type: 'string', minLength: 2, maxLength: 2 }, '2 characters'],
  [{ type: 'string', format: 'date', pattern: '^2' }, 'date, matching ^2'],
  [{ type: 'string', default: '' }, 'default ""'],
  [
    { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, maxItems: 5 },
    '2 to 5 items, each one of a, b',
  ],
  [{ type: 'array', items: { type: 'integer', minimum: 1 } }, 'each at least 1'],
  [{ type: 'array', uniqueItems: true }, 'no duplicates'],
  [{ type: 'object', properties: { lat: {}, lon: {} } }, '{lat, lon}'],
  [{ anyOf: [{ type: 'integer', minimum: 1 }, { enum: ['all'] }] }, 'at least 1, or all'],
  [{ $ref: '#/$defs/count' }, 'at least 0'],
])('the values of %j are described as "%s"', (schema, text) => {
  expect(valuesText(schema, root)).toBe(text)
})
