import type { Tool } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { pickSampleCall } from '../../../src/cli/testing/sample-call.ts'
import type { BuildRequest, ToolDefinition } from '../../../src/shared/definitions/definitions.ts'

type Definition = Partial<ToolDefinition> & { name: string }

function pick(...definitions: Definition[]) {
  const tools = definitions.map(one => ({ description: 'd', inputSchema: { type: 'object' }, ...one }))
  const request = { name: 's', template: 'advanced', tools } as BuildRequest
  return pickSampleCall(tools as Tool[], request)
}

const http = (method: 'GET' | 'DELETE') =>
  ({ type: 'http', method, url: 'http://x', timeoutMs: 1, maxResponseBytes: 1, retries: 0 }) as const

test('never picks a tool that may change something, unless it is marked read-only', () => {
  expect(pick({ name: 'remove', handler: http('DELETE') })).toBeUndefined()
  expect(pick({ name: 'wipe', annotations: { destructiveHint: true } })).toBeUndefined()
  expect(
    pick({ name: 'remove', handler: http('DELETE') }, { name: 'read', handler: http('GET') })?.tool,
  ).toBe('read')
  expect(pick({ name: 'told', handler: http('DELETE'), annotations: { readOnlyHint: true } })?.tool).toBe(
    'told',
  )
})

test('uses default, const, examples and enum of the schema as arguments', () => {
  const properties = {
    a: { type: 'string', default: 'one' },
    b: { const: 2 },
    c: { type: 'string', examples: ['three'] },
    d: { type: 'array', items: { enum: ['x', 'y', 'z'] }, minItems: 2 },
    optional: { type: 'string' },
  }
  const inputSchema = { type: 'object', properties, required: ['a', 'b', 'c', 'd'] }
  expect(pick({ name: 't', inputSchema })?.arguments).toEqual({ a: 'one', b: 2, c: 'three', d: ['x', 'y'] })
})

test('prefers a tool without made-up arguments', () => {
  const guess = { type: 'object', properties: { id: { type: 'string', format: 'uuid' } }, required: ['id'] }
  const known = { type: 'object', properties: { city: { enum: ['Oslo'] } }, required: ['city'] }
  const both = pick({ name: 'guess', inputSchema: guess }, { name: 'known', inputSchema: known })
  expect(both).toEqual({ tool: 'known', arguments: { city: 'Oslo' } })
  expect(pick({ name: 'guess', inputSchema: guess })?.arguments.id).toMatch(/^[0-9a-f-]{36}$/)
})
