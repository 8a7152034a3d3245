import { describe, expect, test } from 'vitest'
import { check } from '../../../src/console/schema-form/check/check.ts'
import { alternativeOf, choose } from '../../../src/console/schema-form/model/alternatives.ts'
import { describeField, type Field, fits } from '../../../src/console/schema-form/model/field.ts'
import { createForm } from '../../../src/console/schema-form/model/form.ts'
import { initialState } from '../../../src/console/schema-form/model/initial.ts'
import { parseJson, parseNumber, printJson } from '../../../src/console/schema-form/model/json-text.ts'
import { membersOf, newEntryName, takesEntries } from '../../../src/console/schema-form/model/members.ts'
import { SchemaDocument } from '../../../src/console/schema-form/model/schema-document.ts'
import {
  Chosen,
  Draft,
  hasDraft,
  type State,
  toJson,
  withItem,
  withMember,
  withMovedItem,
  withRenamed,
} from '../../../src/console/schema-form/model/state.ts'

const field = (schema: unknown, state?: State): Field =>
  describeField(schema, state, new SchemaDocument(schema))

describe('fields', () => {
  test.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'choice'],
    [{ enum: ['a'] }, 'choice'],
    [{ type: 'string', contentEncoding: 'base64' }, 'file'],
    [{ type: 'array' }, 'list'],
    [{ properties: {} }, 'object'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'alternatives'],
    [{ type: ['string', 'number'] }, 'alternatives'],
    [{}, 'raw'],
    [{ $ref: 'https://example.com/elsewhere.json' }, 'raw'],
    [false, 'none'],
  ])('shows %j as %s', (schema, kind) => {
    expect(field(schema).kind).toBe(kind)
  })

  test('a value that the widget cannot show is edited as JSON', () => {
    const text = field({ type: 'string' })
    expect(fits(text, 'a')).toBe(true)
    expect(fits(text, { a: 1 })).toBe(false)
    expect(fits(field({ type: 'number' }), parseNumber('1e'))).toBe(true)
  })

  test('the description next to a reference wins over that of its target', () => {
    const schema = {
      $ref: '#/$defs/a',
      description: 'near',
      $defs: { a: { type: 'string', description: 'far', title: 'A' } },
    }
    expect(field(schema)).toMatchObject({ kind: 'text', description: 'near', title: 'A' })
  })

  test('members of a branch appear when its condition holds', () => {
    const schema = {
      type: 'object',
      properties: { kind: { enum: ['card', 'cash'] } },
      if: { properties: { kind: { const: 'card' } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { properties: { number: { type: 'string' } }, required: ['number'] },
    }
    const names = (state: State) => membersOf(field(schema, state).schema, state).map(({ name }) => name)
    expect(names({ kind: 'cash' })).toEqual(['kind'])
    expect(names({ kind: 'card' })).toEqual(['kind', 'number'])
  })

  test('maps, and nested objects without declared members, accept new entries', () => {
    expect(takesEntries({ type: 'object' }, '/a')).toBe(true)
    expect(takesEntries({ type: 'object' }, '')).toBe(false)
    expect(takesEntries({ additionalProperties: { type: 'string' }, properties: { a: {} } }, '')).toBe(true)
    expect(takesEntries({ properties: { a: {} } }, '/a')).toBe(false)
    expect(takesEntries({ additionalProperties: false }, '/a')).toBe(false)
    expect(newEntryName({ key1: 1, key2: 2 })).toBe('key3')
  })
})

describe('alternatives', () => {
  const schema = {
    oneOf: [
      {
        title: 'Circle',
        properties: { kind: { const: 'circle' }, x: { type: 'number' } },
        required: ['kind'],
      },
      {
        title: 'Square',
        properties: { kind: { const: 'square' }, x: { type: 'number' } },
        required: ['kind'],
      },
    ],
  }
  const document = new SchemaDocument(schema)
  const offered = field(schema) as Field & { kind: 'alternatives' }

  test('the value decides which alternative is shown until the user picks one', () => {
    expect(alternativeOf(offered, { kind: 'square' }, document)).toBe(1)
    expect(alternativeOf(offered, { kind: 'squar' }, document)).toBe(0)
    expect(alternativeOf(offered, new Chosen('oneOf', 0, { kind: 'square' }), document)).toBe(0)
  })

  test('picking another alternative keeps the members that are valid there', () => {
    const start = initialState(offered.alternatives[1]!.schema, document)
    const picked = choose(offered, 1, { kind: 'circle', x: 5 }, start, document)
    expect(toJson(picked)).toEqual({ kind: 'square', x: 5 })
  })

  test('only problems with the picked alternative are reported', () => {
    const state = new Chosen('oneOf', 1, { kind: 'circl' })
    expect(check(schema, state, document).map(({ params }) => params)).toEqual([{ allowedValue: 'square' }])
  })

  test('alternatives are named by title, definition, fixed member or type', () => {
    const branches = [
      { title: 'Named', type: 'object' },
      { $ref: '#/$defs/Dog' },
      { type: 'object', properties: { kind: { const: 'cat' } } },
      { type: 'string' },
      { type: 'string' },
      {},
    ]
    const named = field({ anyOf: branches, $defs: { Dog: { type: 'object' } } }) as typeof offered
    expect(named.alternatives.map(({ label }) => label)).toEqual([
      ...['Named', 'Dog', 'cat', 'text (4)', 'text (5)', 'Option 6'],
    ])
  })
})

describe('values', () => {
  test('a form starts with defaults, fixed values and required parts only', () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { const: 'a' },
        size: { type: 'integer', default: 3 },
        place: { type: 'object', properties: { x: { default: 1 } }, required: ['x'] },
        list: { type: 'array', minItems: 2, items: { const: 'i' } },
        optional: { default: 'left to the server' },
        text: { type: 'string' },
      },
      required: ['kind', 'size', 'place', 'list', 'text'],
    }
    const expected = { kind: 'a', size: 3, place: { x: 1 }, list: ['i', 'i'] }
    expect(initialState(schema, new SchemaDocument(schema))).toEqual(expected)
  })

  test('text that is not a number is kept as typed and prevents the request', () => {
    const form = createForm({ type: 'object', properties: { n: { type: 'number' } } })
    form.state.value = { n: parseNumber('1e') }
    expect(form.submit()).toBeUndefined()
    expect(form.hints.value.get('/n')?.[0]).toContain('must be a number')
    expect(printJson(form.state.value)).toBe('{\n  "n": 1e\n}')
    form.state.value = { n: parseNumber('1e3') }
    expect(form.submit()).toEqual({ value: { n: 1000 } })
  })

  test('hints about missing fields appear with the first attempt to send', () => {
    const form = createForm({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })
    expect(form.hints.value.size).toBe(0)
    expect(form.submit()).toEqual({ value: {} })
    expect(form.hints.value.get('/a')).toEqual(['"a" is required (string)'])
  })

  test('long numbers keep their digits', () => {
    const text = '{\n  "id": 12345678901234567890,\n  "pi": 3.14159265358979323846\n}'
    const state = parseJson(text)
    expect(printJson(state)).toBe(text)
    expect(JSON.stringify(toJson(state))).toBe('{"id":12345678901234567890,"pi":3.14159265358979323846}')
    expect(check({ properties: { id: { type: 'integer', minimum: 5 } } }, state)).toEqual([])
    expect(printJson(parseNumber('12345678901234567890'))).toBe('12345678901234567890')
  })

  test.each(['__proto__', 'constructor', 'toString', '', 'a/b~c'])('a member can be named %j', name => {
    const state = withMember({}, name, 1)
    expect(Object.keys(state)).toEqual([name])
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype)
    expect(printJson(parseJson(printJson(state)))).toBe(printJson(state))
    expect(Object.keys(withRenamed({ other: 1 }, 'other', name))).toEqual([name])
    expect(Object.keys(withMember(state, name, undefined))).toEqual([])
    expect(Object.keys(toJson(state) as object)).toEqual([name])
  })

  test('a renamed entry keeps its position', () => {
    expect(Object.keys(withRenamed({ a: 1, b: 2, c: 3 }, 'b', 'x'))).toEqual(['a', 'x', 'c'])
  })

  test('items can be set and moved, and are null while they have no value', () => {
    expect(toJson(withItem([], 1, 'b'))).toEqual([null, 'b'])
    expect(withMovedItem(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
    expect(withMovedItem(['a'], 0, 1)).toEqual(['a'])
    expect(check({ type: 'array' }, [undefined])[0]).toMatchObject({ pointer: '/0', message: 'has no value' })
  })

  test.each([
    ['london', 'is not JSON. Text needs quotes: "london"'],
    ['{"a":', 'is not JSON: '],
    ['['.repeat(500) + ']'.repeat(500), 'is nested deeper than 200 levels'],
  ])('%.20s is kept as text until it is valid', (text, fault) => {
    const state = parseJson(text)
    expect(state).toBeInstanceOf(Draft)
    expect((state as Draft).fault).toContain(fault)
    expect(printJson(state)).toBe(text)
    expect(hasDraft({ a: [state] })).toBe(true)
  })

  test('loading a value replaces the form and its messages', () => {
    const form = createForm({
      type: 'object',
      properties: { a: { type: 'string', default: 'x' } },
      required: ['a'],
    })
    form.reportErrors('"a" is too short')
    form.load({ a: 'old', unknown: [1] })
    expect(form.submit()).toEqual({ value: { a: 'old', unknown: [1] } })
    expect(form.serverErrors.value.placed.size).toBe(0)
    form.load(undefined)
    expect(form.submit()).toEqual({ value: { a: 'x' } })
  })
})
