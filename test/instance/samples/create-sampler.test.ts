import { describe, expect, test } from 'vitest'
import { createSampler } from '../../../src/instance/samples/create-sampler.ts'
import { compileSchema, type JsonSchema } from '../../../src/shared/json/json-schema.ts'

const sampleOf = (schema: JsonSchema, args: Record<string, unknown> = {}) => createSampler(schema)(args)

describe('a sample matches its schema', () => {
  test.each<JsonSchema>([
    { type: 'object', properties: { when: { type: 'string', format: 'date-time' } }, required: ['when'] },
    { $ref: '#/$defs/n', $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } } },
    { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 3 },
    {
      type: 'array',
      items: { type: 'object', properties: { id: { format: 'uuid' } } },
      uniqueItems: true,
      minItems: 4,
    },
    { type: 'string', pattern: '^[A-Z]{2}-\\d{4,6}$' },
    { type: 'string', pattern: '^(foo|bar)+$', minLength: 9 },
    { type: 'string', pattern: '^\\p{Lu}\\w*@(?:x|y)\\.z$' },
    { type: 'string', pattern: '^(?<q>["\'])[^"]+\\k<q>$|^plain$' },
    { pattern: '^(?=.*\\d).{3,}$', type: 'string' },
    { type: 'string', pattern: '^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d!%]{8,20}$' },
    { type: 'string', minLength: 20, maxLength: 20 },
    { type: 'string', maxLength: 0 },
    {
      anyOf: [
        { type: 'string', not: {} },
        { type: 'integer', minimum: 5 },
      ],
    },
    { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 2 }] },
    {
      allOf: [
        { properties: { a: { minLength: 3 } }, required: ['a'] },
        { properties: { a: { type: 'string', maxLength: 4 }, b: { type: 'number' } }, required: ['b'] },
      ],
      type: 'object',
    },
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
    { type: 'number', multipleOf: 0.1, minimum: 0.25, maximum: 0.35 },
    { type: 'integer', multipleOf: 7, minimum: 50 },
    { type: 'integer', exclusiveMinimum: 3, maximum: 4 },
    { type: 'number', maximum: -5 },
    { type: 'object', minProperties: 3, additionalProperties: { type: 'integer' } },
    { type: 'object', minProperties: 2, additionalProperties: false, patternProperties: { '^x[0-9]+$': {} } },
    { type: 'object', minProperties: 3, propertyNames: { pattern: '^[a-z]{2}$' } },
    {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] }, x: { type: 'string' } },
      required: ['kind'],
      if: { properties: { kind: { const: 'b' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
      then: { required: ['x'], properties: { x: { minLength: 10 } } },
    },
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    { type: 'array', contains: { type: 'integer', minimum: 10 }, minItems: 2 },
    { type: ['null', 'integer'] },
    { type: 'null' },
    {},
    { type: 'object', properties: { a: { type: 'string' } }, dependentRequired: { a: ['c'] } },
    {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      dependentSchemas: { a: { properties: { b: { const: 1 } }, required: ['b'] } },
    },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [{ type: 'string' }, { type: 'boolean' }],
      additionalItems: false,
      minItems: 2,
    },
    ...[
      'date',
      'time',
      'email',
      'hostname',
      'ipv4',
      'ipv6',
      'uri',
      'uuid',
      'duration',
      'json-pointer',
      'regex',
    ].map(format => ({ type: 'string', format })),
  ])('a sample matches its schema: %j', schema => {
    expect(violationsOf(schema, sampleOf(schema))).toEqual([])
  })

  test('a sample matches its schema for many random schemas', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const schema = randomSchema(createRandom(seed), 0)
      expect({ schema, violations: violationsOf(schema, sampleOf(schema)) }).toEqual({
        schema,
        violations: [],
      })
    }
  })
})

test('equal arguments give equal samples', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' }, temperature: { type: 'number' } } }
  expect(sampleOf(schema, { city: 'Rome' })).toEqual(sampleOf(schema, { city: 'Rome' }))
})

test('members with the name of an argument get its value if the schema allows it', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'array', items: { type: 'string' } } },
  }
  expect(sampleOf(schema, { city: 'Rome' })).toMatchObject({ city: 'Rome' })
  expect(violationsOf(schema, sampleOf(schema, { city: 'Rome', days: 3 }))).toEqual([])
})

test('a sample uses valid examples and defaults', () => {
  const of = (member: JsonSchema) => sampleOf({ type: 'object', properties: { member } })
  expect(of({ type: 'string', examples: ['Rome'] })).toEqual({ member: 'Rome' })
  expect(of({ type: 'integer', default: 7 })).toEqual({ member: 7 })
  expect(of({ type: 'integer', default: 'seven' })).toEqual({ member: 1 })
})

test('sampling a contradictory or infinite schema ends with some value', () => {
  const endless = {
    $ref: '#/$defs/n',
    $defs: { n: { type: 'object', properties: { n: { $ref: '#/$defs/n' } }, required: ['n'] } },
  }
  expect(sampleOf(endless)).toBeDefined()
  expect(sampleOf({ $ref: '#' })).toBeDefined()
  expect(sampleOf({ type: 'string', minLength: 5, maxLength: 2 })).toBeDefined()
  expect(sampleOf({ not: {} })).toBeDefined()
  expect(
    sampleOf({ type: 'array', items: { type: 'boolean' }, uniqueItems: true, minItems: 5 }),
  ).toBeDefined()
})

function violationsOf(schema: JsonSchema, value: unknown): unknown[] {
  const validate = compileSchema(schema)
  return validate(value)
    ? []
    : [{ value, errors: validate.errors?.map(({ message, instancePath }) => `${instancePath} ${message}`) }]
}

type Random = (below: number) => number

/** Deterministic random numbers (a linear congruential generator). */
function createRandom(seed: number): Random {
  let state = seed
  return below => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
}

/** A schema of any type that has a valid value. */
function randomSchema(random: Random, depth: number): JsonSchema {
  const scalars = [randomString, randomNumber, () => ({ type: 'boolean' }), () => ({ enum: ['a', 1, null] })]
  const nested = depth < 4 ? [randomObject, randomArray, randomUnion] : []
  const generators = [...scalars, ...nested, ...nested]
  return generators[random(generators.length)]!(random, depth + 1)
}

function randomString(random: Random): JsonSchema {
  const minLength = random(12)
  const patterns = ['^[a-f0-9]{8}$', '^(a|bc)*d$', '^\\S+@\\S+$', '^v\\d+\\.\\d+$']
  return [
    { type: 'string', minLength, maxLength: minLength + random(5) },
    { type: 'string', pattern: patterns[random(patterns.length)] },
    { type: 'string', format: ['date', 'email', 'uri', 'uuid'][random(4)] },
  ][random(3)]!
}

function randomNumber(random: Random): JsonSchema {
  const minimum = random(200) - 100
  return [
    { type: 'integer', minimum, maximum: minimum + random(20) },
    { type: 'number', exclusiveMinimum: minimum, exclusiveMaximum: minimum + 1 },
    { type: 'number', multipleOf: [0.5, 0.01, 3][random(3)], minimum },
  ][random(3)]!
}

function randomObject(random: Random, depth: number): JsonSchema {
  const names = ['a', 'b', 'c', 'd'].slice(0, 1 + random(4))
  return {
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, randomSchema(random, depth)])),
    required: names.filter(() => random(2) === 0),
    additionalProperties: random(2) === 0,
  }
}

function randomArray(random: Random, depth: number): JsonSchema {
  const minItems = random(3)
  return { type: 'array', items: randomSchema(random, depth), minItems, maxItems: minItems + random(3) }
}

function randomUnion(random: Random, depth: number): JsonSchema {
  const alternatives = [randomSchema(random, depth), randomSchema(random, depth)]
  return random(2) === 0 ? { anyOf: alternatives } : { allOf: [alternatives[0]] }
}

test('a pattern with nested repetitions does not exhaust memory', () => {
  const sample = createSampler({ type: 'string', pattern: '^((a{900}){900}){600}$' })
  // On a busy machine, the sampler may give up and fill in nothing.
  const text = attemptSample(sample)
  expect(text.length).toBeLessThan(20_000)
  expect(text).toMatch(/^(a*|null)$|takes longer than 100 ms to match/)
})

function attemptSample(sample: ReturnType<typeof createSampler>): string {
  try {
    return String(sample({}))
  } catch (error) {
    return (error as Error).message
  }
}
