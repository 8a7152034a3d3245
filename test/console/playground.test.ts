import { signal } from '@preact/signals'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Entry } from '../../src/console/mcp/catalog.ts'
import type { McpConnection } from '../../src/console/mcp/connection.ts'
import { argumentSchema, requestFor } from '../../src/console/mcp/entry-request.ts'
import { expandTemplate } from '../../src/console/mcp/expand-template.ts'
import { McpError, type McpRequest, type Params } from '../../src/console/mcp/messages.ts'
import {
  type Call,
  type Outcome,
  recentCalls,
  refusalOf,
  startCall,
} from '../../src/console/views/server/playground/call.ts'
import { commandFor, testCaseFor, testCaseText } from '../../src/console/views/server/playground/call-text.ts'
import { hintsOf } from '../../src/console/views/server/playground/hints.tsx'
import { suiteSchema } from '../../src/shared/definitions/test-suite.ts'

const entry = (kind: Entry['kind'], id: string, source: Params = {}): Entry => ({
  kind,
  id,
  name: id,
  title: undefined,
  description: undefined,
  source,
})

describe('the request for an entry', () => {
  test('a request names its entry and contains its arguments', () => {
    expect(requestFor(entry('tool', 'add'), { a: 1 })).toEqual({
      method: 'tools/call',
      params: { name: 'add', arguments: { a: 1 } },
      about: 'add',
      headers: {},
    })
    expect(requestFor(entry('resource', 'a://b'), {})).toMatchObject({ params: { uri: 'a://b' } })
    expect(requestFor(entry('template', 'a://{id}{?q}'), { id: 'x y' })).toMatchObject({ about: 'a://x%20y' })
  })

  test('a request repeats arguments in the headers that the schema names', () => {
    const region = { type: 'string', 'x-mcp-header': 'Region' }
    const hostile = { type: 'string', 'x-mcp-header': 'A\r\nB' }
    const properties = { at: { type: 'object', properties: { region } }, no: region, bad: hostile }
    const tool = entry('tool', 'a', { inputSchema: { type: 'object', properties } })
    const { headers } = requestFor(tool, { at: { region: 'zürich' }, bad: 'x' })
    expect(headers).toEqual({ 'mcp-param-Region': '=?base64?esO8cmljaA==?=' })
  })

  test('the schema for prompts and resource templates describes text arguments', () => {
    const declared = [{ name: 'city', required: true, description: 'Where' }, { name: 'tone' }, { name: 5 }]
    expect(argumentSchema(entry('prompt', 'p', { arguments: declared }))).toMatchObject({
      properties: { city: { type: 'string', description: 'Where' }, tone: { type: 'string' } },
      required: ['city'],
    })
    expect(argumentSchema(entry('template', 'a://{+path}/{id:3}{?limit*}'))).toMatchObject({
      properties: { path: {}, id: {}, limit: {} },
      required: ['path', 'id'],
    })
    expect(argumentSchema(entry('resource', 'a://b'))).toBeUndefined()
  })

  test.each([
    ['{a}', 'x%2Fy%20z'],
    ['{+a}', 'x/y%20z'],
    ['{#a}', '#x/y%20z'],
    ['{/a,b}', '/x%2Fy%20z/1'],
    ['{.b}', '.1'],
    ['{;b}', ';b=1'],
    ['{?a,b,none}', '?a=x%2Fy%20z&b=1'],
    ['{&b}{none}', '&b=1'],
    ['{constructor}', ''],
  ])('expands the URI template %s', (template, uri) => {
    expect(expandTemplate(template, { a: 'x/y z', b: 1 })).toBe(uri)
  })
})

describe('a call', () => {
  /** Starts a call whose request the test answers. */
  const start = (request: (sent: McpRequest) => Promise<Params>) =>
    startCall({ request } as McpConnection, { method: 'tools/call' }, { entry: entry('tool', 'a'), args: {} })

  test('a call keeps its progress, its newest 500 log messages and its result', async () => {
    const { call, ended } = start(async ({ onNotification }) => {
      onNotification!('notifications/progress', { progress: 2, total: 4, message: 'half' })
      for (let index = 0; index < 600; index++)
        onNotification!('notifications/message', { level: 'info', data: index })
      return { content: [] }
    })
    await ended
    expect(call.progress.value).toEqual({ progress: 2, total: 4, message: 'half' })
    expect(call.logs.value.map(({ data }) => data)).toEqual(
      Array.from({ length: 500 }, (_, index) => index + 100),
    )
    expect(call.outcome.value).toMatchObject({ status: 'answered', result: { content: [] } })
  })

  test('a call waits for the answer to a question, and asks nothing more after it is cancelled', async () => {
    const { call, ended } = start(async ({ onQuestion }) => {
      await onQuestion!({ method: 'elicitation/create', params: {} })
      return onQuestion!({ method: 'sampling/createMessage', params: {} })
    })
    call.questions.value[0]!.answer({ action: 'accept' })
    await expect
      .poll(() => call.questions.value.map(({ method }) => method))
      .toEqual(['sampling/createMessage'])
    call.cancel()
    await ended
    expect(call.questions.value).toEqual([])
    expect(call.outcome.value.status).toBe('cancelled')
  })

  test('a call fails with the error from its request', async () => {
    const { call, ended } = start(() => Promise.reject(new McpError({ code: -32602, message: 'No city' })))
    await ended
    expect(call.outcome.value).toMatchObject({ status: 'failed', error: { message: 'No city' } })
    expect(refusalOf(call.outcome.value)).toBe('No city')
  })

  test('an ended call is removed after 50 newer calls, or when the results are too large together', () => {
    const made = (outcome: Outcome) => ({ outcome: signal(outcome) }) as unknown as Call
    const answered = (size: number) => made({ status: 'answered', result: {}, durationMs: 1, size })
    const many = Array.from({ length: 60 }, () => answered(10))
    const running = made({ status: 'running' })
    expect(recentCalls([...many, running])).toEqual([...many.slice(0, 50), running])
    const large = [answered(70e6), answered(10), answered(10)]
    expect(recentCalls(large)).toEqual(large.slice(0, 1))
  })

  test('the refusal of a call is the first text of its tool error', () => {
    const content = [{ type: 'image' }, { type: 'text', text: 'Too long' }]
    expect(
      refusalOf({ status: 'answered', result: { isError: true, content }, durationMs: 1, size: 1 }),
    ).toBe('Too long')
    expect(refusalOf({ status: 'answered', result: { content }, durationMs: 1, size: 1 })).toBeUndefined()
  })
})

describe('a call written as text', () => {
  const place = { name: 'notes', environment: 'staging' } as const

  test('a call becomes a command with shell-quoted words', () => {
    const made = { entry: entry('tool', 'say it'), args: { text: "it's $HOME\u001b[31m" } }
    const json = String.raw`'{"text":"it'\''s $HOME\\u001b[31m"}'`.replace('\\\\u', '\\u')
    expect(commandFor(made, place)).toBe(`mcp call notes 'say it' ${json} --env staging`)
    const read = { entry: entry('template', 'a://{id}'), args: { id: '1' } }
    expect(commandFor(read, place)).toBe('mcp read notes a://1 --env staging')
    const prompt = { entry: entry('prompt', 'p'), args: {} }
    expect(commandFor(prompt, place)).toBe('mcp prompt notes p --env staging')
  })

  test('a call becomes a test suite case that expects the same call', () => {
    const cases = [
      testCaseFor({ entry: entry('tool', 'a: b'), args: { city: 'Oslo "x"' } }, 'How warm: is it?'),
      testCaseFor({ entry: entry('prompt', 'p'), args: {} }, 'Plan'),
      testCaseFor({ entry: entry('resource', 'a://b'), args: {} }, 'Read'),
    ]
    const suite = suiteSchema.parse(parse(`cases:\n${cases.map(testCaseText).join('\n')}`))
    expect(suite.cases).toEqual(cases)
    expect(cases.map(one => one.expect)).toEqual([
      { calls: [{ tool: 'a: b', arguments: { city: 'Oslo "x"' } }] },
      { prompts: ['p'] },
      { resources: ['a://b'] },
    ])
    expect(suite.cases.map(({ message, expect }) => [message, expect])).toEqual([
      ['How warm: is it?', { calls: [{ tool: 'a: b', arguments: { city: 'Oslo "x"' } }] }],
      ['Plan', { prompts: ['p'] }],
      ['Read', { resources: ['a://b'] }],
    ])
  })
})

test('confirmation is required only if a server declares a tool as destructive', () => {
  const isDestructive = (annotations: unknown) => hintsOf({ annotations }).isDestructive
  expect(isDestructive({ destructiveHint: true })).toBe(true)
  expect(isDestructive({ destructiveHint: true, readOnlyHint: true })).toBe(false)
  expect(isDestructive({ destructiveHint: 'yes' })).toBe(false)
  expect(isDestructive(undefined)).toBe(false)
})
