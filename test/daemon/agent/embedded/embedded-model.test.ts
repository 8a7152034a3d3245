import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { dynamicTool, generateText, jsonSchema, stepCountIs } from 'ai'
import { expect, test } from 'vitest'
import { createEmbeddedModel } from '../../../../src/daemon/agent/embedded/embedded-model.ts'
import { HINTS_KEY } from '../../../../src/daemon/agent/offer/offer.ts'

const weather: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'Current weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const clock: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'get_time',
  description: 'Current time in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const model = createEmbeddedModel()

function ask(text: string, tools = [weather, clock]): LanguageModelV4CallOptions {
  return { prompt: [{ role: 'user', content: [{ type: 'text', text }] }], tools }
}

test('the embedded model calls the tool that the message names, with the value it gives', async () => {
  const { content, finishReason } = await model.doGenerate(ask('What is the weather in Lisbon?'))
  expect(content).toEqual([
    { type: 'tool-call', toolCallId: 'call-1', toolName: 'get_weather', input: '{"city":"Lisbon"}' },
  ])
  expect(finishReason.unified).toBe('tool-calls')
})

test('the embedded model makes several calls for one message', async () => {
  const { content } = await model.doGenerate(ask('What is the weather in Lisbon and the time in Tokyo?'))
  const calls = content.map(part => part.type === 'tool-call' && `${part.toolName} ${part.input}`)
  expect(calls).toEqual(['get_weather {"city":"Lisbon"}', 'get_time {"city":"Tokyo"}'])
})

test('the embedded model declines a request without a matching tool and names the closest ones', async () => {
  const { content } = await model.doGenerate(ask('Translate this poem into Latin'))
  expect(content).toHaveLength(1)
  const [part] = content
  expect(part?.type === 'text' && part.text).toMatch(
    /Nothing .* matches .* closest match is get_\w+ \(confidence \d+ %, at least 47 % needed\)/,
  )
})

test('the embedded model names the missing value for a matching tool', async () => {
  const { content } = await model.doGenerate(ask('How is the weather?', [weather]))
  const [part] = content
  expect(part?.type === 'text' && part.text).toMatch(/get_weather matches .* does not specify city/)
})

test('the embedded model prefers a tool to a resource, unless the message matches the resource better or asks to read it', async () => {
  const mcp = { readResource: 'read_resource', resources: [], prompts: [] }
  const template = {
    uriTemplate: 'weather://{city}',
    name: 'city-weather',
    description: 'Weather of a city as JSON',
  }
  const providerOptions = { [HINTS_KEY]: { ...mcp, resourceTemplates: [template] } }
  const called = async (message: string) => {
    const { content } = await model.doGenerate({ ...ask(message), providerOptions })
    return content.map(part => part.type === 'tool-call' && `${part.toolName} ${part.input}`)
  }
  expect(await called('Show the city weather as JSON for Oslo')).toEqual([
    'read_resource {"uri":"weather://Oslo"}',
  ])
  expect(await called('What is the weather in Oslo?')).toEqual(['get_weather {"city":"Oslo"}'])
  expect(await called('Read weather://Oslo.')).toEqual(['read_resource {"uri":"weather://Oslo"}'])
})

test('the embedded model makes no call without tools', async () => {
  const { content } = await model.doGenerate(ask('What is the weather in Lisbon?', []))
  expect(content).toEqual([{ type: 'text', text: 'This server offers no tools, resources or prompts.' }])
})

test('the embedded model returns identical output in 100 runs', async () => {
  const message = 'What is the weather in Rome, Vienna and Prague, and what time is it in Oslo?'
  const answers = new Set<string>()
  for (let run = 0; run < 100; run++) answers.add(JSON.stringify(await model.doGenerate(ask(message))))
  const fresh = await createEmbeddedModel().doGenerate(ask(message))
  expect([...answers]).toEqual([JSON.stringify(fresh)])
})

test('the embedded model streams the generated output', async () => {
  const { stream } = await model.doStream(ask('What is the weather in Lisbon?'))
  const types: string[] = []
  for await (const part of stream) types.push(part.type)
  expect(types).toEqual([
    'stream-start',
    'tool-input-start',
    'tool-input-delta',
    'tool-input-end',
    'tool-call',
    'finish',
  ])
})

test('the embedded model resolves relative dates from the reference date', async () => {
  const remind: LanguageModelV4FunctionTool = {
    type: 'function',
    name: 'create_reminder',
    description: 'Create a reminder for a day',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, date: { type: 'string', format: 'date' } },
      required: ['text', 'date'],
    },
  }
  const dated = createEmbeddedModel({ referenceDate: new Date('2026-03-09T12:00:00Z') })
  const { content } = await dated.doGenerate(ask('Create a reminder "Call Ana" for tomorrow', [remind]))
  expect(content[0]).toMatchObject({ input: '{"text":"Call Ana","date":"2026-03-10"}' })
})

test('the embedded model works with the agent loop of the AI SDK and answers from the results', async () => {
  const { text, steps } = await generateText({
    model,
    prompt: 'What is the weather in Lisbon?',
    tools: {
      get_weather: dynamicTool({
        description: weather.description ?? '',
        inputSchema: jsonSchema(weather.inputSchema),
        execute: async input => `Sunny in ${(input as { city: string }).city}, 21 °C`,
      }),
    },
    stopWhen: stepCountIs(5),
  })
  expect(steps).toHaveLength(2)
  expect(text).toBe('Sunny in Lisbon, 21 °C')
})

test('the embedded model reports a failed call', async () => {
  const call = { toolCallId: 'call-1', toolName: 'get_weather' }
  const { content } = await model.doGenerate({
    prompt: [
      { role: 'user', content: [{ type: 'text', text: 'What is the weather in Lisbon?' }] },
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { city: 'Lisbon' } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', ...call, output: { type: 'error-text', value: 'no station' } }],
      },
    ],
    tools: [weather],
  })
  expect(content).toEqual([{ type: 'text', text: 'get_weather failed: no station' }])
})

test('the embedded model rejects a request that is already aborted', async () => {
  const abortSignal = AbortSignal.abort(new Error('enough'))
  await expect(model.doGenerate({ ...ask('What is the weather in Lisbon?'), abortSignal })).rejects.toThrow(
    'enough',
  )
})
