import { describe, expect, test } from 'vitest'
import { compileArgumentCheck } from '../../../src/instance/handlers/argument-check.ts'
import { readPlainSchema } from '../../../src/instance/handlers/plain-schema.ts'
import { compileSchema } from '../../../src/shared/json/json-schema.ts'

const plain = {
  type: 'object',
  title: 'A place',
  properties: {
    city: { type: 'string', description: 'Its name' },
    days: { type: 'integer' },
    share: { type: 'number' },
    exact: { type: 'boolean' },
  },
  required: ['city'],
}
const values = [
  ['Oslo', '', 0, 1.5, -1, 1e300, true, null, [], {}].map(city => ({ city })),
  [0, 1, 1.5, '1', null, true].map(days => ({ city: 'Oslo', days })),
  [0, 1.5, '1', false].map(share => ({ city: 'Oslo', share })),
  [true, false, 'true', 0, null].map(exact => ({ city: 'Oslo', exact })),
  [{}, { days: 1 }, { city: 'Oslo', more: {} }, null, 'Oslo', 7, [], [{ city: 'Oslo' }]],
  [JSON.parse('{"city":"Oslo","__proto__":1}'), JSON.parse('{"city":"Oslo","toString":1}')],
].flat()

test.each([plain, { ...plain, additionalProperties: false }, { ...plain, properties: {} }])(
  'the fast check agrees with the compiled schema: %j',
  schema => {
    const isSurelyValid = readPlainSchema(schema)!
    const validate = compileSchema(schema, { isChecked: true })
    for (const value of values)
      expect({ value, valid: isSurelyValid(value) }).toEqual({ value, valid: validate(value) })
  },
)

describe('schemas with other keywords are compiled', () => {
  const property = (schema: object) => ({ type: 'object', properties: { city: schema } })
  const schemas: object[] = [
    {},
    { type: ['object', 'null'], properties: {} },
    { ...plain, minProperties: 2 },
    { ...plain, additionalProperties: { type: 'string' } },
    { ...plain, $ref: '#/$defs/a', $defs: { a: {} } },
    property({ type: 'string', minLength: 1 }),
    property({ type: 'string', default: 'Oslo' }),
    property({ enum: ['Oslo'] }),
    property({ type: ['string', 'null'] }),
    property({ type: 'toString' }),
    { type: 'object', properties: { toString: { type: 'string' } } },
    { type: 'object', properties: { city: true } },
  ]
  test.each(schemas.map(schema => ({ schema })))(
    'the fast check leaves this schema to the compiler: %j',
    ({ schema }) => {
      expect(readPlainSchema({ ...schema })).toBeUndefined()
    },
  )
})

test('reports an invalid value in the same words before and after the schema is compiled', () => {
  const fault = '"city" must be a string, not 5'
  expect(compileArgumentCheck(plain)({ city: 5 })).toBe(fault)
  const check = compileArgumentCheck(plain)
  for (let call = 0; call < 20; call++) expect(check({ city: 'Oslo', days: call })).toBeUndefined()
  expect(check({ city: 5 })).toBe(fault)
  expect(check({})).toContain('"city" is required')
})
