import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openGguf } from '../../../../src/daemon/agent/providers/gguf.ts'
import { createGgufModel, type LlamaHistoryEntry } from '../../../../src/daemon/agent/providers/gguf-model.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gguf-'))
  vi.stubEnv('MCP_HOME', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const PROMPT = [
  { role: 'system' as const, content: 'be brief' },
  { role: 'user' as const, content: [{ type: 'text' as const, text: 'add' }] },
  {
    role: 'assistant' as const,
    content: [
      { type: 'text' as const, text: 'Adding.' },
      { type: 'tool-call' as const, toolCallId: '1', toolName: 'add', input: { a: 1 } },
    ],
  },
  {
    role: 'tool' as const,
    content: [
      {
        type: 'tool-result' as const,
        toolCallId: '1',
        toolName: 'add',
        output: { type: 'text' as const, value: '2' },
      },
    ],
  },
]

test('a conversation is converted to a node-llama-cpp history, and function calls of the model to tool calls', async () => {
  let given: { history: LlamaHistoryEntry[]; options: Record<string, unknown> } | undefined
  const model = createGgufModel('m.gguf', {
    async generateResponse(history, options) {
      given = { history, options }
      return {
        response: 'One more.',
        functionCalls: [{ functionName: 'add', params: { a: 2 } }],
        metadata: { stopReason: 'functionCalls' },
      }
    },
  })
  const tools = [
    { type: 'function' as const, name: 'add', description: 'Adds', inputSchema: { type: 'object' as const } },
  ]
  const result = await model.doGenerate({ prompt: PROMPT, tools })
  expect(given!.history).toEqual([
    { type: 'system', text: 'be brief' },
    { type: 'user', text: 'add' },
    {
      type: 'model',
      response: ['Adding.', { type: 'functionCall', name: 'add', params: { a: 1 }, result: '2' }],
    },
  ])
  expect(given!.options).toMatchObject({
    functions: { add: { description: 'Adds', params: { type: 'object' } } },
    temperature: 0,
  })
  expect(result).toMatchObject({
    content: [
      { type: 'text', text: 'One more.' },
      { type: 'tool-call', toolName: 'add', input: '{"a":2}' },
    ],
    finishReason: { unified: 'tool-calls' },
  })
})

test('without node-llama-cpp, the error says how to install it', async () => {
  const file = join(folder, 'm.gguf')
  writeFileSync(file, 'GGUF')
  await expect(openGguf(file)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: expect.stringContaining(`npm install --prefix ${join(folder, 'plugins')} node-llama-cpp`),
  })
})

test('reports a missing model file as NOT_FOUND', async () => {
  await expect(openGguf(join(folder, 'none.gguf'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('another file type is rejected without revealing its content', async () => {
  const file = join(folder, 'secret.txt')
  writeFileSync(file, 'pass word')
  await expect(openGguf(file)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: `${file} is not a GGUF model file.`,
  })
})

test('an installed node-llama-cpp is loaded from the home', async () => {
  const installed = join(folder, 'plugins', 'node_modules', 'node-llama-cpp')
  mkdirSync(installed, { recursive: true })
  writeFileSync(
    join(installed, 'package.json'),
    '{"name":"node-llama-cpp","type":"module","exports":{".":{"node":"./index.js"}}}',
  )
  writeFileSync(
    join(installed, 'index.js'),
    `export const getLlama = async () => ({
       loadModel: async ({ modelPath }) => ({ createContext: async () => ({ getSequence: () => modelPath }), dispose: async () => {} }),
     })
     export class LlamaChat {
       constructor({ contextSequence }) { this.file = contextSequence }
       async generateResponse() { return { response: 'from ' + this.file, metadata: { stopReason: 'eogToken' } } }
     }`,
  )
  const file = join(folder, 'm.gguf')
  writeFileSync(file, 'GGUF')
  const model = await openGguf(file)
  const { content } = await model.doGenerate({ prompt: PROMPT })
  expect(content).toEqual([{ type: 'text', text: `from ${file}` }])
})
