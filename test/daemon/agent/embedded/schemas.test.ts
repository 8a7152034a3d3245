import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { createEmbeddedModel } from '../../../../src/daemon/agent/embedded/embedded-model.ts'

type InputSchema = LanguageModelV4FunctionTool['inputSchema']

async function callsOf(text: string, inputSchema: unknown): Promise<unknown[]> {
  const tool: LanguageModelV4FunctionTool = {
    type: 'function',
    name: 'create_folder',
    description: 'Create a folder',
    inputSchema: inputSchema as InputSchema,
  }
  const { content } = await createEmbeddedModel().doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [tool],
  })
  return content.flatMap(part => (part.type === 'tool-call' ? [JSON.parse(part.input)] : []))
}

const message = "Create a folder named 'reports'"

test('a schema that refers to itself is read to a bounded depth', async () => {
  const tree = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      children: { type: 'array', items: { $ref: '#' } },
      grid: { $ref: '#/$defs/grid' },
    },
    required: ['name'],
    $defs: { grid: { type: 'array', items: { $ref: '#/$defs/grid' } } },
  }
  expect(await callsOf(message, tree)).toEqual([{ name: 'reports' }])
})

test('references, null alternatives and allOf are resolved', async () => {
  const schema = {
    allOf: [{ type: 'object', properties: { name: { $ref: '#/$defs/name' } }, required: ['name'] }],
    $defs: { name: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  }
  expect(await callsOf(message, schema)).toEqual([{ name: 'reports' }])
})

test('minimal schemas are accepted', async () => {
  for (const schema of [{}, { type: 'object' }, { type: 'object', properties: { anything: true } }])
    expect(await callsOf(message, schema)).toHaveLength(1)
})

test('a schema with thousands of parameters still results in a call', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 5000 }, (_, i) => [`field_${i}`, { type: 'string' }]),
  )
  expect(
    await callsOf(message, {
      type: 'object',
      properties: { name: { type: 'string' }, ...properties },
      required: ['name'],
    }),
  ).toEqual([expect.objectContaining({ name: 'reports' })])
})
