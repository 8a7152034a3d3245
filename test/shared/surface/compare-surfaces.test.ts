import { describe, expect, test } from 'vitest'
import { compareSurfaces, type Surface } from '../../../src/shared/surface/compare-surfaces.ts'

type Json = Record<string, unknown>

const NOTHING: Surface = { tools: [], resources: [], prompts: [] }
const tool = (inputSchema: Json, more: Json = {}) =>
  ({
    name: 'add',
    description: 'Adds',
    inputSchema: { type: 'object', ...inputSchema },
    ...more,
  }) as Surface['tools'][number]
const withTool = (inputSchema: Json, more?: Json): Surface => ({
  ...NOTHING,
  tools: [tool(inputSchema, more)],
})

/** `! path message` for breaking changes. */
const changesOf = (before: Surface, after: Surface) =>
  compareSurfaces(before, after).map(
    ({ kind, path, message }) => `${kind === 'breaking' ? '! ' : ''}${path} ${message}`,
  )
const inputs = (before: Json, after: Json) => changesOf(withTool(before), withTool(after))
const outputs = (before: Json | undefined, after: Json | undefined) =>
  changesOf(withTool({}, { outputSchema: before }), withTool({}, { outputSchema: after }))
const properties = (shape: Json, more: Json = {}) => ({ properties: shape, ...more })

const string = { type: 'string' }
const number = { type: 'number' }

describe('tools', () => {
  test('unchanged tools and new descriptions are not reported as changes', () => {
    const shape = properties({ a: number }, { required: ['a'] })
    expect(inputs(shape, shape)).toEqual([])
    expect(changesOf(withTool(shape), withTool(shape, { description: 'Sums' }))).toEqual([])
  })

  test('removing a tool is breaking, but adding one is not', () => {
    expect(changesOf(withTool({}), NOTHING)).toEqual(['! tools.add is removed'])
    expect(changesOf(NOTHING, withTool({}))).toEqual(['tools.add is new'])
  })

  test('renaming a tool is breaking, and the new name is reported', () => {
    const renamed = { ...NOTHING, tools: [{ ...tool({}), name: 'sum' }] }
    expect(changesOf(withTool({}), renamed)).toEqual(['! tools.add is renamed to sum'])
  })
})

const at = 'tools.add.inputSchema'

describe('arguments', () => {
  test.each<[string, Json, Json, string[]]>([
    [
      'a new required one',
      properties({}),
      properties({ b: number }, { required: ['b'] }),
      [`! ${at}.b is new and required`],
    ],
    ['a new optional one', properties({}), properties({ b: number }), [`${at}.b is new and optional`]],
    ['a removed one', properties({ a: number }), properties({}), [`! ${at}.a is removed`]],
    [
      'one that became required',
      properties({ a: number }),
      properties({ a: number }, { required: ['a'] }),
      [`! ${at}.a is now required`],
    ],
    [
      'one that became optional',
      properties({ a: number }, { required: ['a'] }),
      properties({ a: number }),
      [`${at}.a is now optional`],
    ],
    [
      'another type',
      properties({ a: number }),
      properties({ a: string }),
      [`! ${at}.a no longer accepts number`],
    ],
    [
      'a narrower type',
      properties({ a: number }),
      properties({ a: { type: 'integer' } }),
      [`! ${at}.a no longer accepts number`],
    ],
    ['a wider type', properties({ a: { type: 'integer' } }), properties({ a: number }), []],
    ['an additional type', properties({ a: string }), properties({ a: { type: ['string', 'null'] } }), []],
    [
      'an enum with one fewer value',
      properties({ a: { enum: ['x', 'y'] } }),
      properties({ a: { enum: ['x'] } }),
      [`! ${at}.a no longer accepts "y"`],
    ],
    [
      'an enum with one more value',
      properties({ a: { enum: ['x'] } }),
      properties({ a: { enum: ['x', 'y'] } }),
      [],
    ],
    [
      'an enum where there was none',
      properties({ a: string }),
      properties({ a: { type: 'string', enum: ['x'] } }),
      [`! ${at}.a now only accepts "x"`],
    ],
    [
      'a const',
      properties({ a: { enum: ['x', 'y'] } }),
      properties({ a: { const: 'y' } }),
      [`! ${at}.a no longer accepts "x"`],
    ],
    [
      'a smaller maximum',
      properties({ a: { maximum: 9 } }),
      properties({ a: { maximum: 5 } }),
      [`! ${at}.a has maximum 5 instead of 9`],
    ],
    ['a larger maximum', properties({ a: { maximum: 5 } }), properties({ a: { maximum: 9 } }), []],
    [
      'a minimal length',
      properties({ a: string }),
      properties({ a: { type: 'string', minLength: 1 } }),
      [`! ${at}.a now has minLength 1`],
    ],
    [
      'a pattern',
      properties({ a: string }),
      properties({ a: { type: 'string', pattern: '^x' } }),
      [`! ${at}.a now has pattern "^x"`],
    ],
    [
      'a removed pattern',
      properties({ a: { type: 'string', pattern: '^x' } }),
      properties({ a: string }),
      [],
    ],
    [
      'closed to other properties',
      properties({}),
      properties({}, { additionalProperties: false }),
      [`! ${at} no longer accepts other properties`],
    ],
    ['opened to other properties', properties({}, { additionalProperties: false }), properties({}), []],
    [
      'a narrower item type',
      properties({ a: { type: 'array', items: number } }),
      properties({ a: { type: 'array', items: { type: 'integer' } } }),
      [`! ${at}.a[] no longer accepts number`],
    ],
    [
      'a nested change',
      properties({ a: properties({ b: string }) }),
      properties({ a: properties({ b: number }) }),
      [`! ${at}.a.b no longer accepts string`],
    ],
    [
      'a keyword that cannot be compared',
      properties({ a: {} }),
      properties({ a: { not: { const: 1 } } }),
      [`! ${at}.a has a different "not", which may accept less than before`],
    ],
    [
      'a removed keyword that cannot be compared',
      properties({ a: { not: { const: 1 } } }),
      properties({ a: {} }),
      [],
    ],
  ])('compares arguments: %s', (_, before, after, expected) => {
    expect(inputs(before, after)).toEqual(expected)
  })

  test('arguments are compared through references, even recursive ones', () => {
    const tree = (leaf: Json) => ({
      $defs: {
        node: {
          type: 'object',
          properties: { leaf, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
      properties: { root: { $ref: '#/$defs/node' } },
    })
    expect(inputs(tree(string), tree(string))).toEqual([])
    expect(inputs(tree(string), tree(number))[0]).toBe(`! ${at}.root.leaf no longer accepts string`)
    expect(
      inputs(properties({ a: { $ref: '#/$defs/x' } }, { $defs: { x: string } }), properties({ a: string })),
    ).toEqual([])
  })

  test('adding an alternative to an argument is compatible, but removing one is breaking', () => {
    const one = properties({ a: { anyOf: [string] } })
    const two = properties({ a: { anyOf: [string, { type: 'null' }] } })
    expect(inputs(properties({ a: string }), two)).toEqual([])
    expect(inputs(one, two)).toEqual([])
    expect(inputs(two, properties({ a: string }))).toEqual([`! ${at}.a no longer accepts null`])
    expect(inputs(two, properties({ a: { oneOf: [{ type: 'null' }, number] } }))).toEqual([
      `! ${at}.a no longer accepts string`,
    ])
  })
})

const out = 'tools.add.outputSchema'

describe('results', () => {
  test.each<[string, Json | undefined, Json | undefined, string[]]>([
    ['a new schema', undefined, properties({ a: number }), [`${out} is new`]],
    ['a removed schema', properties({ a: number }), undefined, [`! ${out} is removed`]],
    ['a removed property', properties({ a: number }), properties({}), [`! ${out}.a is removed`]],
    ['a new property', properties({}), properties({ a: number }, { required: ['a'] }), [`${out}.a is new`]],
    [
      'one that may be missing',
      properties({ a: number }, { required: ['a'] }),
      properties({ a: number }),
      [`! ${out}.a may now be missing`],
    ],
    [
      'a wider type',
      properties({ a: string }),
      properties({ a: { type: ['string', 'null'] } }),
      [`! ${out}.a may now be null`],
    ],
    [
      'a wider type through alternatives',
      properties({ a: string }),
      properties({ a: { anyOf: [string, { type: 'null' }] } }),
      [`! ${out}.a may now be null`],
    ],
    ['a narrower type', properties({ a: { type: ['string', 'null'] } }), properties({ a: string }), []],
    [
      'a new value',
      properties({ a: { enum: ['x'] } }),
      properties({ a: { enum: ['x', 'y'] } }),
      [`! ${out}.a may now be "y"`],
    ],
    ['a removed value', properties({ a: { enum: ['x', 'y'] } }), properties({ a: { enum: ['x'] } }), []],
  ])('compares output schemas: %s', (_, before, after, expected) => {
    expect(outputs(before, after)).toEqual(expected)
  })
})

describe('resources and prompts', () => {
  const resource = (uri: string, mimeType = 'text/plain') => ({ uri, name: uri, description: 'x', mimeType })
  const prompt = (...args: { name: string; required?: boolean }[]) => ({
    ...NOTHING,
    prompts: [{ name: 'greet', description: 'x', arguments: args }],
  })

  test('removing a resource, or changing its type, is breaking', () => {
    const before = { ...NOTHING, resources: [resource('a://1'), resource('a://2')] }
    const after = { ...NOTHING, resources: [resource('a://2', 'text/html'), resource('a://3')] }
    expect(changesOf(before, after)).toEqual([
      '! resources.a://1 is removed',
      '! resources.a://2.mimeType is text/html instead of text/plain',
      'resources.a://3 is new',
    ])
  })

  test('removing a prompt or one of its arguments, or making an argument required, is breaking', () => {
    expect(
      changesOf(
        prompt({ name: 'a' }, { name: 'b' }),
        prompt({ name: 'b', required: true }, { name: 'c' }, { name: 'd', required: true }),
      ),
    ).toEqual([
      '! prompts.greet.arguments.a is removed',
      '! prompts.greet.arguments.b is now required',
      '! prompts.greet.arguments.d is new and required',
      'prompts.greet.arguments.c is new',
    ])
    expect(changesOf(prompt(), NOTHING)).toEqual(['! prompts.greet is removed'])
  })
})
