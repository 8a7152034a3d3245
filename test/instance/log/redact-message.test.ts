import { expect, test } from 'vitest'
import { createRedactor } from '../../../src/instance/log/redact.ts'
import { createMessageRedactor } from '../../../src/instance/log/redact-message.ts'

const SECRETS = ['s3cret/value', 'eu', '', '123456', 'a "b"\nc', 'täglich']

const redact = createRedactor(SECRETS)
const redactMessage = createMessageRedactor(SECRETS)
const parsed = (text: string) => JSON.stringify(redact(JSON.parse(text)))

test.each([
  { password: 'x' },
  { pwd: 'x' },
  { auth: 'x', author: 'kept' },
  { progressToken: 3, text: 'kept' },
  { progressTokens: 'x' },
  { region: 'eu', neural: 'kept' },
  { id: 123456 },
  { text: 'one s3cret/value more' },
  { text: 'täglich' },
  { url: 'https://x/?k=s3cret%2Fvalue' },
  { text: 'a "b"\nc' },
  { inner: JSON.stringify({ a: 'a "b"\nc', deep: JSON.stringify({ a: 'a "b"\nc', api_key: 'x' }) }) },
  { inner: JSON.stringify({ region: 'eu', auth: 'x' }) },
  { inner: JSON.stringify({ deep: JSON.stringify({ region: 'eu', bearer: 'x' }) }) },
])('redacts %j in a message as in its parsed value', message => {
  const text = JSON.stringify(message)
  expect(redactMessage(text)).toBe(parsed(text))
  expect(redactMessage(message)).toBe(parsed(text))
})

test.each([
  '{"text":"s3cret\\/value"}',
  '{"text":"s3cret\\u002fvalue"}',
  '{"pass\\u0077ord":"x"}',
  '{"API_KEY":"x"}',
])('redacts a secret value or name in another spelling: %s', text => {
  expect(redactMessage(text)).toBe(parsed(text))
  expect(redactMessage(text)).toContain('[redacted]')
})

const WORDS = [...SECRETS, 'token', 'auth', 'progressToken', 'Cookie', 'x', '"', '\\', '/']

test('redacting the text of a message gives the same result as redacting its parsed value', () => {
  const below = seeded(17)
  const word = () => WORDS[below(WORDS.length)]!
  const text = () => Array.from({ length: below(3) + 1 }, word).join('')
  const value = (depth: number): unknown => {
    const members = () => Array.from({ length: below(4) }, () => value(depth - 1))
    const kind = depth === 0 ? below(2) : below(5)
    if (kind === 0) return text()
    if (kind === 1) return below(2) === 0 ? 123456 : below(9)
    if (kind === 2) return members()
    if (kind === 3) return Object.fromEntries(members().map(member => [text(), member]))
    return JSON.stringify(value(depth - 1))
  }
  for (let run = 0; run < 3000; run++) {
    const message = JSON.stringify(value(3))
    expect(redactMessage(message)).toBe(parsed(message))
  }
})

/** Whole numbers below a limit, the same ones in every run (https://en.wikipedia.org/wiki/Linear_congruential_generator). */
function seeded(state: number): (limit: number) => number {
  let last = state
  return limit => {
    last = (Math.imul(last, 1664525) + 1013904223) >>> 0
    return Math.floor((last / 2 ** 32) * limit)
  }
}
