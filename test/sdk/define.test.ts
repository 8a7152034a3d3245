import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { definePrompt, defineResource, defineTool, inputRequired, McpError } from '../../src/sdk/server.ts'

test('a definition contains its options and its kind', () => {
  const handler = () => 'x'
  expect(defineTool({ description: 'A', handler })).toEqual({ kind: 'tool', description: 'A', handler })
  expect(defineResource({ uri: 'a://b', description: 'B', handler }).kind).toBe('resource')
  expect(definePrompt({ description: 'C', handler }).kind).toBe('prompt')
})

test('arguments have the output type of the schema', () => {
  defineTool({
    description: 'zod',
    input: z.object({ city: z.string(), days: z.number().default(3), size: z.string().transform(Number) }),
    handler: args => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; size: number }>()
    },
  })
  defineTool({
    description: 'JSON Schema',
    input: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['c', 'f'] },
        days: { type: 'integer', default: 3 },
        tags: { type: 'array', items: { type: 'string' } },
        at: { anyOf: [{ type: 'number' }, { type: 'null' }] },
        place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
      },
      required: ['city', 'at'],
    },
    handler: args => {
      expectTypeOf(args).toEqualTypeOf<{
        city: string
        days: number
        at: number | null
        unit?: 'c' | 'f'
        tags?: string[]
        place?: { lat: number }
      }>()
    },
  })
  defineTool({
    description: 'by the names of the protocol',
    inputSchema: z.object({ city: z.string() }),
    outputSchema: z.object({ t: z.number() }),
    handler: args => {
      expectTypeOf(args).toEqualTypeOf<{ city: string }>()
      return { t: 1 }
    },
  })
  defineTool({
    description: 'none',
    handler: args => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>()
    },
  })
})

test('a result must match the output schema, be a complete result, or request input', () => {
  const output = z.object({ t: z.number() })
  defineTool({ description: 'value', output, handler: () => ({ t: 1 }) })
  defineTool({ description: 'result', output, handler: () => ({ content: [], structuredContent: { t: 1 } }) })
  defineTool({ description: 'question', output, handler: () => inputRequired({ state: 1 }) })
  // @ts-expect-error: a string is not a number.
  defineTool({ description: 'wrong', output, handler: () => ({ t: 'x' }) })
})

test('variables of templates and arguments of prompts are typed by name', () => {
  defineResource({
    uri: 'test://{id}/of{/path*}{?q,r}',
    description: 'A template',
    complete: { id: ['1'], q: (typed, { arguments: given }) => [`${typed}${given.id}`] },
    handler: variables => {
      expectTypeOf(variables).toEqualTypeOf<{ id: string; path: string; q: string; r: string }>()
      return ''
    },
  })
  definePrompt({
    description: 'A prompt',
    arguments: {
      city: { description: 'Where', complete: typed => [typed.trim()] },
      mood: { required: false },
    },
    handler: args => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; mood: string | undefined }>()
      return ''
    },
  })
})

test('the response to a form has the type of its schema', () => {
  defineTool({
    description: 'asks',
    handler: async (_args, context) => {
      const answer = await context.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })
      if (answer.action === 'accept') expectTypeOf(answer.content).toEqualTypeOf<{ name: string }>()
      else expectTypeOf(answer.content).toEqualTypeOf<undefined>()
    },
  })
})

test('an McpError has the members of a JSON-RPC error', () => {
  const error = new McpError(-32602, 'Unknown city', { city: 'x' })
  expect([error.name, error.code, error.message, error.data]).toEqual([
    'McpError',
    -32602,
    'Unknown city',
    { city: 'x' },
  ])
})
