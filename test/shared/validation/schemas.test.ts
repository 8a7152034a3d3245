import { expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/shared/json-schema.ts'
import { problemsOf, withInput, withTool } from '../../fixtures/definitions.ts'

test.each<[JsonSchema, string]>([
  [{ type: 'string' }, 'inputSchema.type: must be "object" at the root of the schema, not "string"'],
  [{ type: ['object'] }, 'inputSchema.type: must be "object"'],
  [
    { properties: { a: { type: 'strin' } } },
    'inputSchema.properties.a.type: "strin" is not a JSON Schema type; did you mean "string"?',
  ],
  [{ required: 'a' }, 'inputSchema.required: is not valid JSON Schema: must be array, not "a"'],
  [
    { properties: { a: { pattern: '(' } } },
    'inputSchema: is not a valid JSON Schema: Invalid regular expression',
  ],
  [
    { $schema: 'http://json-schema.org/draft-04/schema#' },
    'inputSchema.$schema: "http://json-schema.org/draft-04/schema#" is not known',
  ],
  [
    { properties: { a: { $ref: 'https://example.com/a.json' } } },
    'inputSchema.properties.a.$ref: "https://example.com/a.json" leads out of the schema',
  ],
  [{ properties: { a: { $ref: 'file:///etc/passwd' } } }, 'leads out of the schema'],
  [
    { properties: { a: { $ref: '#/$defs/none' } } },
    'inputSchema: is not a valid JSON Schema: "#/$defs/none" refers to nothing in it',
  ],
  [
    { $defs: { a: { $ref: '#/$defs/a' } }, properties: { a: { $ref: '#/$defs/a' } } },
    'inputSchema: is not a valid JSON Schema: a reference in it leads back to itself',
  ],
  [
    { properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } },
    'properties.a.x-mcp-header: "a b" cannot be a part of an HTTP header',
  ],
  [
    { properties: { a: { type: 'array', 'x-mcp-header': 'A' } } },
    'x-mcp-header: is only for arguments of type "string"',
  ],
  [
    { properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
    'properties.a.items.x-mcp-header: is only for arguments that "properties" alone lead to',
  ],
  [
    {
      properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
    },
    'properties.b.x-mcp-header: "a" is the header of another argument already',
  ],
])('the input schema %j is refused', (schema, sentence) => {
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
])('the input schema %j is taken', schema => {
  expect(problemsOf(withInput(schema))).toEqual([])
})

test('a schema too large to compile is refused at once', () => {
  const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`p${index}`, {}]))
  expect(problemsOf(withInput({ properties }))).toEqual([
    'tools[0].inputSchema: holds 5001 schemas; one of a tool may hold 1000',
  ])
})

test('an output schema describes an object, and no content blocks', () => {
  expect(problemsOf(withTool({ outputSchema: { type: 'array' } }))).toEqual([
    'tools[0].outputSchema.type: must be "object" at the root of the schema, not "array"',
  ])
  const handler = { type: 'template', content: [] }
  expect(problemsOf(withTool({ outputSchema: { type: 'object' }, handler }))[0]).toMatch(/take "json"$/)
})
