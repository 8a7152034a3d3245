import { describe, expect, test } from 'vitest'
import type { CallToolResult } from '../../../src/instance/server/results.ts'
import type { ToolDefinition } from '../../../src/shared/definitions/definitions.ts'
import { callTool, createCall, createTool, prepare, textOf } from '../../helpers/instance/prepared.ts'

const weather: Partial<ToolDefinition> = {
  name: 'weather',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 2 },
      units: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
      days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
    },
    required: ['city'],
    additionalProperties: false,
  },
  handler: { type: 'template', text: '{{ city }} {{ units }} {{ days }}' },
}

test('a declared tool fills in schema defaults', async () => {
  expect(textOf(await callTool(weather, { city: 'Oslo' }))).toBe('Oslo celsius 3')
})

describe('reports invalid arguments as a tool error that names the field', () => {
  test.each([
    [{}, /"city" is required/],
    [{ city: 5 }, /"city" must be a string/],
    [{ city: 'O' }, /"city" needs at least 2 characters/],
    [{ city: 'Oslo', units: 'kelvin' }, /"units" must be one of "celsius", "fahrenheit"/],
    [{ city: 'Oslo', days: 8 }, /"days" must be at most 7/],
    [{ city: 'Oslo', unit: 'celsius' }, /"unit" is not a known field; did you mean "units"\?/],
  ])('reports the invalid arguments %j', async (args, sentence) => {
    const result = await callTool(weather, args)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(sentence)
    expect(textOf(result)).toContain('weather')
  })
})

test('a declared tool supports draft-07 schemas', async () => {
  const inputSchema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
  }
  const handler = { type: 'template', text: 'ok' } as const
  expect((await callTool({ inputSchema, handler }, { pair: ['a', 1] })).isError).toBeUndefined()
  expect(textOf(await callTool({ inputSchema, handler }, { pair: ['a', 'b'] }))).toContain('pair.1')
})

const outputSchema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
}

test('returns an answer that matches the output schema as structured content and text', async () => {
  const result = await callTool(
    { outputSchema, handler: { type: 'template', json: { n: '{{ n }}' } } },
    { n: 2 },
  )
  expect(result).toEqual({ content: [{ type: 'text', text: '{"n":2}' }], structuredContent: { n: 2 } })
})

test('returns a JSON text answer as structured content when an output schema is declared', async () => {
  const handler = { type: 'template', text: '{"n": {{ n }}}' } as const
  expect((await callTool({ outputSchema, handler }, { n: 3 })).structuredContent).toEqual({ n: 3 })
})

test('reports an answer that violates the output schema as a tool error that names the field', async () => {
  const result = await callTool({ outputSchema, handler: { type: 'template', json: { n: 'two' } } })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(/does not match its outputSchema: "n" must be an integer/)
  expect(result).not.toHaveProperty('structuredContent')
})

test('reports a non-JSON answer as a tool error when an output schema is declared', async () => {
  const result = await callTool({ outputSchema, handler: { type: 'template', text: 'two' } })
  expect(textOf(result)).toMatch(/declares an outputSchema, but its answer is not JSON/)
})

test('does not check handler errors against the output schema', async () => {
  const result = await callTool({ outputSchema, handler: { type: 'template', text: 'none', isError: true } })
  expect(result).toEqual({ content: [{ type: 'text', text: 'none' }], isError: true })
})

test('a tool without a handler returns a sample of its output schema, or its arguments marked as a sample', async () => {
  const sample = await callTool({ outputSchema }, {})
  expect(sample).toMatchObject({ structuredContent: { n: expect.any(Number) } })
  expect(await callTool({ outputSchema }, {})).toEqual(sample)
  expect(await callTool({}, { a: 1 })).toEqual({
    content: [{ type: 'text', text: '{"a":1}' }],
    _meta: { 'mcp-hosting/sample': true },
  })
})

test('reports arguments nested too deeply for the validator as a tool error', async () => {
  const inputSchema = { type: 'object', properties: { next: { $ref: '#' } } }
  let args: Record<string, unknown> = {}
  for (let depth = 0; depth < 100_000; depth++) args = { next: args }
  expect((await callTool({ inputSchema }, args)).isError).toBe(true)
  // Without a schema, arguments are echoed if JSON.stringify does not recurse (V8 14, Node 26).
  const echoed = await callTool({}, args)
  expect(echoed.isError ?? echoed.content[0]).toEqual(
    echoed.isError ? true : { type: 'text', text: expect.any(String) },
  )
})

test('answers simultaneous first calls of one tool', async () => {
  const tool = prepare({ tools: [createTool(weather)] }).findTool('weather')!
  const results = await Promise.all(['Oslo', 'Rome', 'Lima'].map(city => tool.call({ city }, createCall())))
  expect(results.map(result => textOf(result as CallToolResult))).toEqual([
    'Oslo celsius 3',
    'Rome celsius 3',
    'Lima celsius 3',
  ])
})

test('answers simultaneous first calls of several servers', async () => {
  const results = await Promise.all(['Oslo', 'Rome', 'Lima'].map(city => callTool(weather, { city })))
  expect(results.map(textOf)).toEqual(['Oslo celsius 3', 'Rome celsius 3', 'Lima celsius 3'])
})
