import { expect, test } from 'vitest'
import { compileSchema, type JsonSchema } from '../../../src/shared/json/json-schema.ts'
import { describeViolation } from '../../../src/shared/json/violations.ts'

function violation(schema: JsonSchema, value: unknown): string | undefined {
  const validate = compileSchema(schema)
  return validate(value) ? undefined : describeViolation(validate.errors)
}

const city = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', maximum: 5 } },
  required: ['city'],
  additionalProperties: false,
}

test.each([
  [{}, '"city" is required (string)'],
  [{ town: 'Rome' }, '"city" is required (string)'],
  [{ citty: 'Rome' }, '"city" is required; is "citty" a typo?'],
  [{ city: 'Rome', dayss: 1 }, '"dayss" is not a known field; did you mean "days"?'],
  [{ city: 'Rome', zzzzzz: 1 }, '"zzzzzz" is not a known field; known fields: "city", "days"'],
  [{ city: 5 }, '"city" must be a string, not 5'],
  [{ city: 'Rome', days: 9 }, '"days" must be at most 5, not 9'],
])('the violation in %j is described in a sentence that names the field', (value, sentence) => {
  expect(violation(city, value)).toBe(sentence)
})

test('names a nested field with its path', () => {
  const schema = {
    type: 'object',
    properties: {
      trip: { type: 'object', properties: { legs: { type: 'array', items: { enum: ['a', 'b'] } } } },
    },
  }
  expect(violation(schema, { trip: { legs: ['a', 'c'] } })).toBe(
    '"trip.legs.1" must be one of "a", "b", not "c"',
  )
})

test.each([
  ['oslo', '; did you mean "Oslo"?'],
  ['osl', '; did you mean "Oslo"?'],
  ['Rome', ''],
  ['AB', ''],
  ['aa', '; did you mean "AA"?'],
  [5, ''],
])('suggests a similar allowed value for %j', (value, suggestion) => {
  const sentence = `arguments must be one of "Oslo", "AA", not ${JSON.stringify(value)}${suggestion}`
  expect(violation({ enum: ['Oslo', 'AA'] }, value)).toBe(sentence)
})

test.each(['constructor', 'toString', 'hasOwnProperty'])(
  'an object without a property `%s` does not inherit one',
  name => {
    const properties = { [name]: { type: 'string' } }
    expect(violation({ type: 'object', properties }, {})).toBeUndefined()
    expect(violation({ type: 'object', properties }, { [name]: 1 })).toContain(name)
    expect(violation({ type: 'object', required: [name] }, {})).toContain(name)
  },
)

test('an argument named like a method of objects does not break the comparison with allowed objects', () => {
  const properties = {
    toString: { type: 'string' },
    size: { enum: [{ width: 1 }, { width: 2 }] },
  }
  const validate = compileSchema({ type: 'object', properties }, { useDefaults: true })
  expect(validate({ size: { width: 1 } })).toBe(true)
  expect(validate({ size: { width: 3 } })).toBe(false)
})

test.each(['constructor', 'toString', 'hasOwnProperty'])(
  'an object without a property `%s` gets its default instead of an inherited value',
  name => {
    const part = { type: 'object', properties: { [name]: { type: 'string', default: 'x' } } }
    const schema = { type: 'object', properties: { list: { type: 'array', items: part } } }
    const validate = compileSchema(schema, { useDefaults: true })
    const [missing, given] = [{}, { [name]: 'y' }]
    expect(validate({ list: [missing, given] })).toBe(true)
    expect([missing, given].map(one => JSON.stringify(one))).toEqual([`{"${name}":"x"}`, `{"${name}":"y"}`])
    expect(Object.getPrototypeOf(missing)).toBe(Object.prototype)
    expect(validate({ list: [{ [name]: 7 }] })).toBe(false)
    expect(describeViolation(validate.errors)).toContain(name)
  },
)

test('lists the first twenty allowed values', () => {
  const values = Array.from({ length: 30 }, (_, index) => index)
  expect(violation({ enum: values }, 'x')).toMatch(/, 18, 19 and 10 more, not "x"$/)
})

test('supports formats, 2020-12 keywords, and those of draft-07 when $schema says so', () => {
  expect(violation({ type: 'string', format: 'date' }, 'today')).toMatch(/date/)
  expect(violation({ type: 'array', prefixItems: [{ type: 'string' }] }, [1])).toBeDefined()
  const tuple = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'array',
    items: [{ type: 'string' }],
  }
  expect(violation(tuple, [1])).toBeDefined()
})

test('adds defaults to the value only with `useDefaults`', () => {
  const schema = { type: 'object', properties: { unit: { default: 'C' } } }
  const value = {}
  compileSchema(schema)(value)
  expect(value).toEqual({})
  compileSchema(schema, { useDefaults: true })(value)
  expect(value).toEqual({ unit: 'C' })
})

test('schemas with the same $id, at the root or inside, do not clash', () => {
  const of = (type: string) => ({
    $id: 'urn:same',
    type: 'object',
    properties: { a: { $id: 'urn:inner', type } },
  })
  expect(violation(of('string'), { a: 1 })).toBeDefined()
  expect(violation(of('number'), { a: 1 })).toBeUndefined()
})

test('resolves internal references, and throws for one without a target', () => {
  const schema = { $defs: { n: { type: 'number' } }, properties: { a: { $ref: '#/$defs/n' } } }
  expect(violation(schema, { a: 'x' })).toBe('"a" must be a number, not "x"')
  expect(() => compileSchema({ $ref: '#/$defs/none' })).toThrow(/none/)
})
