import { describe, expect, it } from 'vitest'
import { parseToolArguments } from '../../../src/cli/testing/tool-arguments.ts'

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    ratio: { type: 'number' },
    metric: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'integer' } },
    where: { type: 'object' },
    limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    unit: { enum: ['c', 'f'] },
    ref: { $ref: '#/$defs/count' },
  },
  $defs: { count: { type: 'integer' } },
}
const parse = (...words: string[]) => parseToolArguments(words, schema)

describe('tool arguments', () => {
  it('coerces key=value arguments according to the schema', () => {
    expect(
      parse('city=4', 'days=4', 'ratio=0.5', 'metric=true', 'tags=1,2', 'limit=null', 'unit=c', 'ref=7'),
    ).toEqual({
      city: '4',
      days: 4,
      ratio: 0.5,
      metric: true,
      tags: [1, 2],
      limit: null,
      unit: 'c',
      ref: 7,
    })
  })

  it('a repeated key adds to a list, and otherwise replaces the value', () => {
    const inputSchema = { properties: { cities: { type: 'array' }, city: { type: 'string' } } }
    const words = ['cities=Oslo', 'cities=Lima', 'city=Oslo', 'city=Lima']
    expect(parseToolArguments(words, inputSchema)).toEqual({ cities: ['Oslo', 'Lima'], city: 'Lima' })
    expect(parseToolArguments(['cities:=["Rome"]', 'cities=Oslo'], inputSchema)).toEqual({ cities: ['Oslo'] })
  })

  it('keeps additional equals signs in a value', () => {
    expect(parse('city=a=b&c=d')).toEqual({ city: 'a=b&c=d' })
  })

  it('accepts JSON values, a JSON object, a file and standard input, and later values win', () => {
    const read = (source: '-' | { file: string }) =>
      source === '-' ? '{"days":2}' : '{"city":"Oslo","days":1}'
    expect(
      parseToolArguments(
        ['{"metric":false}', '@args.json', '-', 'where:={"a":[1]}', 'ratio:=2'],
        schema,
        read,
      ),
    ).toEqual({
      metric: false,
      city: 'Oslo',
      days: 2,
      where: { a: [1] },
      ratio: 2,
    })
  })

  it.each([
    ['days=many', '"days" must be an integer, not "many".'],
    ['dais=4', 'Unknown argument "dais". Did you mean "days"?'],
    ['something=4', 'Unknown argument "something". Known: city, days,'],
    ['city', '"city" is not an argument, expected key=value'],
    ['where:={', 'Value of "where" is not JSON: {'],
    ['{"a":', /^The argument \{"a": is not JSON: Unexpected end/],
    [`{"a":"${'x'.repeat(200)}`, /^The argument \{"a":"x{93}… is not JSON: /],
    ['@none.json', 'Could not read arguments from none.json'],
  ])('rejects tool arguments %s', (word, message) => {
    expect(() => parse(word)).toThrow(message)
  })
})
