import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type CallState,
  readState,
  signState,
} from '../../../../src/instance/protocol/modern/request-state.ts'

const KEY = randomBytes(32)
const STATE: CallState = {
  answers: { 'question-1': { method: 'elicitation/create', answer: { action: 'accept' } } },
  own: { step: 2 },
}
const request = (params: Record<string, unknown>) => ({ method: 'tools/call', params })
const CALL = request({ name: 'ask', arguments: { a: 1, b: { c: 2, d: 3 } } })
const HOUR_MS = 3_600_000

test('a state can be read back when the key order, metadata and responses of its call differ', () => {
  const text = signState(STATE, CALL, KEY)
  const again = request({
    name: 'ask',
    arguments: { b: { d: 3, c: 2 }, a: 1 },
    _meta: { progressToken: 7 },
    inputResponses: {},
    requestState: text,
  })
  expect(readState(text, again, KEY)).toEqual(STATE)
})

test.each([
  ['other arguments', request({ name: 'ask', arguments: { a: 2 } })],
  ['another tool', request({ ...CALL.params, name: 'other' })],
  ['another method', { method: 'prompts/get', params: CALL.params }],
])('a state is not valid for a call with %s', (_what, other) => {
  expect(readState(signState(STATE, CALL, KEY), other, KEY)).toBeUndefined()
})

test('rejects a state that was changed, truncated or signed with another key', () => {
  const text = signState(STATE, CALL, KEY)
  const forged = Buffer.from(JSON.stringify({ answers: {}, expires: 9e9 })).toString('base64url')
  const wrong = [
    `${text}A`,
    `${text}.`,
    text.slice(0, -1),
    `x${text}`,
    '',
    '.',
    `${forged}${text.slice(text.indexOf('.'))}`,
  ]
  for (const one of wrong) expect(readState(one, CALL, KEY), one).toBeUndefined()
  expect(readState(text, CALL, randomBytes(32))).toBeUndefined()
})

test('a state is valid for one hour', () => {
  const now = Date.now()
  const text = signState(STATE, CALL, KEY, now)
  expect(readState(text, CALL, KEY, now + HOUR_MS - 2000)).toEqual(STATE)
  expect(readState(text, CALL, KEY, now + HOUR_MS + 2000)).toBeUndefined()
})
