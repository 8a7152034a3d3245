import { expect, test } from 'vitest'
import { modelName, parseModelId, recordedName } from '../../../../src/daemon/agent/providers/model-id.ts'

test.each([
  ['<vendor-a>-sonnet-4-5', { kind: 'anthropic', model: 'claude-sonnet-4-5' }],
  ['vendor-a-sonnet-4-5', { kind: 'anthropic', model: 'claude-sonnet-4-5' }],
  ['claude-haiku-4-5', { kind: 'anthropic', model: 'claude-haiku-4-5' }],
  ['anthropic:claude-next', { kind: 'anthropic', model: 'claude-next' }],
  ['<vendor-b>-5.2', { kind: 'openai', model: 'gpt-5.2' }],
  ['gpt-5.2', { kind: 'openai', model: 'gpt-5.2' }],
  ['o3-mini', { kind: 'openai', model: 'o3-mini' }],
  ['openai:ft:gpt-5:me', { kind: 'openai', model: 'ft:gpt-5:me' }],
  [
    'openai:llama3.2:1b@http://127.0.0.1:11434/v1/',
    { kind: 'compatible', model: 'llama3.2:1b', baseUrl: 'http://127.0.0.1:11434/v1' },
  ],
  ['gguf:/models/a.gguf', { kind: 'gguf', file: '/models/a.gguf' }],
  ['embedded', { kind: 'embedded' }],
])('parses the model id %s', (text, choice) => expect(parseModelId(text)).toEqual(choice))

test.each(['llama3', 'openai:x@nowhere', 'openai:@http://a/v1', '<vendor-c>-1', 'gguf:'])(
  'rejects the model id %s',
  text => {
    expect(() => parseModelId(text)).toThrow(/Unknown model|has no http URL/)
  },
)

test('a result names the model in a form that --model accepts, and a recording omits the URL', () => {
  const choice = parseModelId('openai:m@http://127.0.0.1:1/v1')
  expect(parseModelId(modelName(choice))).toEqual(choice)
  expect(recordedName(choice)).toBe('openai:m')
})
