import { expect, test } from 'vitest'
import { exchangesOf, type Part, withEvent } from '../../src/console/views/chat/exchange.ts'
import { type Sent, shownExchanges } from '../../src/console/views/chat/session.ts'
import type { ChatMessageRecord } from '../../src/shared/contract/testing/chats.ts'
import type { TestEvent, TestResult } from '../../src/shared/contract/testing/test-results.ts'

const RESULT: TestResult = {
  ai_response: '',
  tools_used: [],
  resources_accessed: [],
  execution_time: 1,
  success_rate: 1,
}

test('an answer contains its text and calls in order, with the results from the tools', () => {
  const image = { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }
  const facts = { arguments: {}, error: null, seconds: 1, turn: 1 }
  const events: TestEvent[] = [
    { type: 'text', text: 'Let me ' },
    { type: 'text', text: 'see.' },
    { type: 'call', id: '1', kind: 'resource', name: 'notes://one', arguments: { uri: 'notes://one' } },
    { type: 'call', id: '2', kind: 'tool', name: 'draw', arguments: { size: 2 } },
    { type: 'answer', id: '2', error: null, text: '[image]', seconds: 0.5 },
    { type: 'answer', id: '1', error: 'No such note', text: '', seconds: 0.1 },
    { type: 'text', text: 'Here.' },
    { type: 'result', result: { ...RESULT, tool_calls: [{ ...facts, name: 'draw', result: image }] } },
  ]
  const parts = events.reduce<readonly Part[]>(withEvent, [])
  expect(parts).toMatchObject([
    { type: 'text', text: 'Let me see.' },
    { kind: 'resource', name: 'notes://one', answer: { error: 'No such note' } },
    { kind: 'tool', arguments: { size: 2 }, answer: { error: null, result: image, seconds: 0.5 } },
    { type: 'text', text: 'Here.' },
  ])
})

test('stored messages are converted to exchanges that contain the calls with their results', () => {
  const output = (toolCallId: string, output: object) => ({ type: 'tool-result', toolCallId, output })
  const call = (toolCallId: string) => ({
    type: 'tool-call',
    toolCallId,
    toolName: 'say',
    input: { text: 'a' },
  })
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } }
  const exchanges = exchangesOf([
    message('1', 'user', 'Say a'),
    message('2', 'assistant', [{ type: 'text', text: 'Yes.' }, call('x'), call('y')]),
    message('3', 'tool', [
      output('y', { type: 'error-text', value: 'refused' }),
      output('x', { type: 'content', value: [{ type: 'text', text: 'a' }, file] }),
    ]),
    message('4', 'assistant', 'Done.'),
    message('5', 'user', 'Again'),
    message('6', 'assistant', [call('x')]),
    message('7', 'tool', [output('x', { type: 'json', value: { said: 'a' } })]),
  ])
  expect(exchanges).toMatchObject([
    {
      message: 'Say a',
      parts: [
        { type: 'text', text: 'Yes.' },
        {
          name: 'say',
          answer: {
            result: { content: [{ text: 'a' }, { type: 'image', mimeType: 'image/png', data: 'AA==' }] },
          },
        },
        { name: 'say', answer: { error: 'refused' } },
        { type: 'text', text: 'Done.' },
      ],
    },
    { message: 'Again', parts: [{ answer: { error: null, result: { structuredContent: { said: 'a' } } } }] },
  ])
})

test('a message from this page is shown once, before and after it is stored', () => {
  const stored = (...texts: string[]) =>
    texts.map(text => ({ id: `stored ${text}`, message: text, parts: [] }))
  const sent = (message: string, index: number): Sent => ({
    index,
    message,
    parts: [{ type: 'text', text: 'live' }],
    outcome: { status: 'answered', result: RESULT },
  })
  const messages = (shown: ReturnType<typeof shownExchanges>) => shown.map(({ message }) => message)
  expect(messages(shownExchanges(stored('a'), [sent('b', 1)]))).toEqual(['a', 'b'])
  const after = shownExchanges(stored('a', 'b'), [sent('b', 1)])
  expect(messages(after)).toEqual(['a', 'b'])
  expect(after[1]).toMatchObject({ id: 'stored b', parts: [{ text: 'live' }] })
  expect(messages(shownExchanges(stored('a', 'other'), [sent('b', 1)]))).toEqual(['a', 'other', 'b'])
})

function message(messageId: string, role: ChatMessageRecord['role'], content: unknown): ChatMessageRecord {
  const text = typeof content === 'string' ? content : ''
  return { messageId, chatId: 'chat_1', role, text, content, createdAt: '2026-11-22T12:20:23.267Z' }
}
