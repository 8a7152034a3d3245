import { expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/shared/json/json-schema.ts'
import { problemsOf, withInput, withTool } from '../../fixtures/definitions.ts'

test.each<[JsonSchema, string]>([
  [{ type: 'string' }, 'inputSchema.type: must be "object" at the root of the schema, not "string"'],
  [{ type: ['object'] }, 'inputSchema.type: must be "object"'],
  [
    { properties: { a: { type: 'strin' } } },
    'inputSchema.properties.a.type: "strin" is not a JSON Schema type; did you mean "string"?',
  ],
  [{ required: 'a' }, 'inputSchema.required: is not valid JSON Schema: must be an array, not "a"'],
  [
    { properties: { a: { pattern: '(' } } },
    'inputSchema: is not a valid JSON Schema: Invalid regular expression',
  ],
  [
    { $schema: 'http://json-schema.org/draft-04/schema#' },
    'inputSchema.$schema: "http://json-schema.org/draft-04/schema#" is not a supported dialect',
  ],
  [
    { properties: { a: { $ref: 'https://example.com/a.json' } } },
    'inputSchema.properties.a.$ref: "https://example.com/a.json" refers outside the schema',
  ],
  [{ properties: { a: { $ref: 'file:///etc/passwd' } } }, 'refers outside the schema'],
  [
    { properties: { a: { $ref: '#/$defs/none' } } },
    'inputSchema: is not a valid JSON Schema: the target of the reference "#/$defs/none" does not exist',
  ],
  [
    { $defs: { a: { $ref: '#/$defs/a' } }, properties: { a: { $ref: '#/$defs/a' } } },
    'inputSchema: is not a valid JSON Schema: it contains an endless chain of references',
  ],
  [
    { properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } },
    'properties.a.x-mcp-header: "a b" is not valid in an HTTP header name',
  ],
  [
    { properties: { a: { type: 'array', 'x-mcp-header': 'A' } } },
    'x-mcp-header: is only allowed on arguments of type "string"',
  ],
  [
    { properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
    'properties.a.items.x-mcp-header: is only allowed on arguments that are nested only in "properties"',
  ],
  [
    {
      properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
    },
    'properties.b.x-mcp-header: "a" is already the header of another argument',
  ],
])('rejects the input schema %j', (schema, sentence) => {
  expect(problemsOf(withInput(schema)).join('\n')).toContain(sentence)
})

test.each<JsonSchema>([
  {},
  { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    definitions: { a: {} },
    properties: { a: { $ref: '#/definitions/a' } },
  },
  {
    type: 'object',
    properties: { $ref: { type: 'string' }, constructor: { const: { $ref: 'https://example.com' } } },
  },
  {
    type: 'object',
    properties: { point: { type: 'object', properties: { x: { type: 'number', 'x-mcp-header': 'X' } } } },
  },
])('accepts the input schema %j', schema => {
  expect(problemsOf(withInput(schema))).toEqual([])
})

test('rejects a schema that is too large to compile', () => {
  const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`p${index}`, {}]))
  expect(problemsOf(withInput({ properties }))).toEqual([
    'tools[0].inputSchema: contains 5001 schemas; the maximum is 1000',
  ])
})

test('an output schema must describe an object, and a template with content cannot have one', () => {
  expect(problemsOf(withTool({ outputSchema: { type: 'array' } }))).toEqual([
    'tools[0].outputSchema.type: must be "object" at the root of the schema, not "array"',
  ])
  const handler = { type: 'template', content: [] }
  expect(problemsOf(withTool({ outputSchema: { type: 'object' }, handler }))[0]).toMatch(/use "json"$/)
})
