import { expect, test } from 'vitest'
import { compileSchema, type JsonSchema, listSchemaErrors } from '../../../src/shared/json/json-schema.ts'
import { isSound } from '../../../src/shared/validation/sound-schema.ts'

const DRAFTS = [undefined, 'http://json-schema.org/draft-07/schema#']

/** True if the meta-schema and the compiler accept the schema, in both drafts. */
function isValid(schema: JsonSchema): boolean {
  return DRAFTS.every($schema => {
    const whole = { ...schema, ...($schema && { $schema }) }
    if (listSchemaErrors(whole).length > 0) return false
    try {
      return Boolean(compileSchema(whole, { isTrial: true }))
    } catch {
      return false
    }
  })
}

test.each<JsonSchema>([
  {},
  {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  { properties: { a: { type: ['string', 'null'], enum: ['x', null], default: null, description: 'A' } } },
  { properties: { a: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 9 }, minItems: 1 } } },
  { properties: { a: { type: 'string', pattern: '^[a-z]+$', maxLength: 9, format: 'date-time' } } },
  { properties: { a: { anyOf: [{ const: 1 }, { not: { type: 'null' } }] }, toString: true } },
])('a common schema needs no meta-schema: %j', schema => {
  expect({ sound: isSound(schema), valid: isValid(schema) }).toEqual({ sound: true, valid: true })
})

const VALUES: unknown[] = [
  ...['', 'string', 'integer', 'strin', '(', '^a+$', '\\Z', 'email', 'constructor', '#', '#/$defs/a', 'a b'],
  ...[
    0,
    1,
    -1,
    1.5,
    true,
    false,
    null,
    [],
    {},
    ['a'],
    ['a', 'a'],
    ['string', 'null'],
    [1, {}],
    [{}, {}],
    [[]],
  ],
  ...[
    { a: {} },
    { a: 1 },
    { a: { type: 'strin' } },
    { type: 'string' },
    { $ref: '#/nowhere' },
    [{ enum: [] }],
  ],
  JSON.parse('{"__proto__":{"type":"strin"}}'),
]
const KEYWORDS = [
  ...[
    '$id',
    '$ref',
    '$anchor',
    '$dynamicRef',
    '$dynamicAnchor',
    '$defs',
    '$comment',
    '$schema',
    '$vocabulary',
  ],
  ...[
    'type',
    'enum',
    'const',
    'default',
    'examples',
    'title',
    'description',
    'format',
    'pattern',
    'nullable',
  ],
  ...[
    'deprecated',
    'readOnly',
    'writeOnly',
    'properties',
    'required',
    'additionalProperties',
    'propertyNames',
  ],
  ...['patternProperties', 'dependencies', 'dependentRequired', 'dependentSchemas', 'definitions', 'id'],
  ...['minProperties', 'maxProperties', 'unevaluatedProperties', 'items', 'prefixItems', 'contains'],
  ...['minContains', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems', 'additionalItems', 'not'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else', 'discriminator', 'contentSchema', 'contentEncoding'],
  ...['__proto__', 'constructor', 'x-note'],
]

test('the meta-schema and the compiler accept every schema that counts as sound', () => {
  const schemas = KEYWORDS.flatMap(keyword => VALUES.map(value => JSON.stringify({ [keyword]: value })))
  const nested = schemas.flatMap(text => [
    text,
    `{"properties":{"a":${text}}}`,
    `{"anyOf":[{"items":${text}}]}`,
  ])
  const sound = nested.map(text => JSON.parse(text) as JsonSchema).filter(isSound)
  expect(sound.length).toBeGreaterThan(500)
  expect(sound.filter(schema => !isValid(schema))).toEqual([])
})
