import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/instance/log/redact.ts'

describe('redaction', () => {
  const redact = createRedactor(['s3cret-value', 's3cret', 'eu', '', '123456'])

  test('hides secret values anywhere in a value', () => {
    expect(redact('a s3cret-value b s3cret c')).toBe('a [redacted] b [redacted] c')
    expect(redact({ list: [{ 's3cret-key': 's3cret' }], number: 123456 })).toEqual({
      list: [{ '[redacted]-key': '[redacted]' }],
      number: '[redacted]',
    })
  })

  test('hides a secret inside JSON text and inside a URL', () => {
    const hide = createRedactor(['a "b" & c\nd'])
    expect(hide(JSON.stringify({ key: 'a "b" & c\nd' }))).toBe('{"key":"[redacted]"}')
    expect(hide('https://x/?k=a%20%22b%22%20%26%20c%0Ad')).toBe('https://x/?k=[redacted]')
  })

  test('hides secret members of nested JSON inside text, and leaves other text unchanged', () => {
    const inner = JSON.stringify({ password: 'hunter2', pin: 1, list: ['a'] }, null, 2)
    const message = (text: string) => ({ result: { content: [{ type: 'text', text }] } })
    const hidden = (text: string) => JSON.stringify(redact(message(text)))
    expect(hidden(inner)).not.toContain('hunter2')
    expect(hidden(JSON.stringify({ inner }))).not.toContain('hunter2')
    expect(hidden(`Stored ${inner}.`)).toContain('\\"password\\": \\"[redacted]\\"')
    expect(hidden(inner.slice(0, 22))).not.toContain('hunt')
    const harmless = JSON.stringify({ city: 'Oslo' }, null, 2)
    expect(redact(message(harmless))).toEqual(message(harmless))
    expect(redact(message('{ not JSON'))).toEqual(message('{ not JSON'))
  })

  test('hides arrays of secret values', () => {
    expect(redact({ tokens: ['a', 'b'], required: ['password'] })).toEqual({
      tokens: '[redacted]',
      required: ['password'],
    })
  })

  test('hides a short secret only when it is the whole text', () => {
    expect(redact(['eu', 'neural'])).toEqual(['[redacted]', 'neural'])
  })

  test.each([
    'authorization',
    'Cookie',
    'access_token',
    'apiKey',
    'api-key',
    'x-api-key',
    'PASSWORD',
    'clientSecret',
    'pwd',
  ])('hides members named %s', name =>
    expect(redact({ [name]: 'x', other: 1 })).toEqual({ [name]: '[redacted]', other: 1 }),
  )

  test('redaction keeps values that only look secret', () => {
    const harmless = {
      progressToken: 'p1',
      properties: { password: { type: 'string' } },
      author: 'a',
      keyboard: 'b',
    }
    expect(redact(harmless)).toEqual(harmless)
  })

  test('redaction does not change the original value', () => {
    const value = { token: 'x' }
    redact(value)
    expect(value).toEqual({ token: 'x' })
  })
})
