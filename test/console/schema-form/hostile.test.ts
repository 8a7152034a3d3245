import { expect, test } from 'vitest'
import { check } from '../../../src/console/schema-form/check/check.ts'
import { describeField } from '../../../src/console/schema-form/model/field.ts'
import { createForm } from '../../../src/console/schema-form/model/form.ts'
import { hintsOf } from '../../../src/console/schema-form/model/hints.ts'
import { initialState } from '../../../src/console/schema-form/model/initial.ts'
import { membersOf } from '../../../src/console/schema-form/model/members.ts'
import { SchemaDocument } from '../../../src/console/schema-form/model/schema-document.ts'
import { placeErrors } from '../../../src/console/schema-form/model/server-errors.ts'
import { type State, toJson } from '../../../src/console/schema-form/model/state.ts'

const wide = Object.fromEntries(
  Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
)

/** A chain of definitions, each of which contains the next one several times. */
const doubling = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return [`d${index}`, { allOf: [next, next], anyOf: [next, next] }]
    }),
  ),
}

const HOSTILE: [string, unknown][] = [
  ['a reference to itself', { $ref: '#' }],
  [
    'two references to each other',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
  ],
  ['allOf of itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
  ['alternatives of itself', { oneOf: [{ $ref: '#' }, { $ref: '#' }] }],
  [
    'a required member of its own kind',
    { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] },
  ],
  ['items of its own kind', { type: 'array', items: { $ref: '#' }, minItems: 1e9 }],
  [
    'conditions on itself',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    { if: { $ref: '#' }, then: { $ref: '#' }, else: { $ref: '#' }, not: { $ref: '#' } },
  ],
  ['definitions that double sixty times', doubling],
  ['20,000 properties', { type: 'object', properties: wide, required: Object.keys(wide) }],
  ['allOf of 300 times 20,000 properties', { allOf: Array(300).fill({ properties: wide }) }],
  ['20,000 alternatives', { anyOf: Array.from({ length: 20_000 }, (_, index) => ({ const: index })) }],
  ['20,000 values', { enum: Array.from({ length: 20_000 }, (_, index) => `v${index}`) }],
  ['5 MB of description', { type: 'object', title: 'x'.repeat(5e6), properties: { ['n'.repeat(5e6)]: {} } }],
  [
    'keywords of wrong types',
    JSON.parse(
      '{"type":5,"properties":[],"required":{"a":1},"allOf":{},"oneOf":"x","items":3,"enum":7,"$ref":{},"minItems":"x","pattern":4,"format":[],"patternProperties":"x","dependentRequired":[1],"title":{},"default":null}',
    ),
  ],
  [
    'names of the prototype',
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"$ref":"#/__proto__"}},"required":["__proto__","toString"],"$defs":{"__proto__":{}},"__proto__":{"type":"array"}}',
    ),
  ],
]

/** Cannot be converted to text or a number. */
const POISON = { toString: 1, valueOf: 1 }

const KEYWORDS = [
  ...[
    '$ref',
    '$dynamicRef',
    '$id',
    '$anchor',
    '$defs',
    'type',
    'title',
    'description',
    'default',
    'examples',
    'enum',
  ],
  ...[
    'enumNames',
    'const',
    'format',
    'pattern',
    'contentEncoding',
    'contentMediaType',
    'minLength',
    'maxLength',
  ],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'items', 'prefixItems'],
  ...['additionalItems', 'contains', 'minContains', 'maxContains', 'minItems', 'maxItems', 'uniqueItems'],
  ...[
    'properties',
    'patternProperties',
    'additionalProperties',
    'propertyNames',
    'required',
    'minProperties',
  ],
  ...['maxProperties', 'dependencies', 'dependentRequired', 'dependentSchemas', 'allOf', 'anyOf', 'oneOf'],
  ...['not', 'if', 'then', 'else'],
]

const VALUES: unknown[] = ['text', [[]], JSON.parse('{"a":{"a":{}},"p1":1,"__proto__":{"x":1}}')]

test.each(HOSTILE)('%s neither hangs nor grows without bound', (_name, schema) => {
  const document = new SchemaDocument(schema)
  const start = initialState(schema, document)
  expect(JSON.stringify(toJson(start) ?? null).length).toBeLessThan(20_000)
  for (const value of [start, ...(VALUES as State[])]) {
    const field = describeField(schema, value, document)
    if (field.kind === 'object') membersOf(field.schema, value)
    expect(check(schema, value, document).length).toBeLessThanOrEqual(100)
    placeErrors('"a" and data/a/a and field p1', value, document)
  }
})

test.each(KEYWORDS)('%s with a value of the wrong type does not throw', keyword => {
  const wrong = [POISON, [POISON], [[POISON]], { a: POISON }, 'text', 5, null]
  for (const type of ['string', 'number', 'integer', 'object', 'array', undefined])
    for (const value of wrong) {
      const schema = { allOf: [{ type, [keyword]: value }, { [keyword]: POISON }] }
      const document = new SchemaDocument(schema)
      for (const state of [initialState(schema, document), 'text', 5, [1], { a: 1 }] as State[]) {
        const field = describeField(schema, state, document)
        if (field.kind === 'object') membersOf(field.schema, state)
        hintsOf(state, document, true)
        placeErrors('"a" and data/a/a', state, document)
      }
    }
})

test.each([
  ['^(a+)+$', `${'a'.repeat(40)}!`],
  ['^(a|a)*$', `${'a'.repeat(40)}!`],
  [`^${'(a|a)'.repeat(40)}$`, `${'a'.repeat(40)}!`],
  [`^${'a?'.repeat(40)}${'a'.repeat(40)}$`, 'a'.repeat(39)],
  ['a*a*a*b', 'a'.repeat(50_000)],
  ['(', 'a'],
  ['x'.repeat(1e6), 'a'],
])('leaves the pattern %.20s to the server', (pattern, text) => {
  expect(check({ pattern }, text)).toEqual([])
  expect(check({ patternProperties: { [pattern]: false } }, { [text]: 1 }).length).toBeLessThanOrEqual(1)
})

test('form values cannot pollute prototypes', () => {
  const form = createForm({ type: 'object' })
  form.load(JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}'))
  const value = form.submit()!.value
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}')
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
  expect((value as { polluted?: number }).polluted).toBeUndefined()
})
