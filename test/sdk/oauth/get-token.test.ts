import { expect, test } from 'vitest'
import { getToken } from '../../../src/sdk/oauth/resource/get-token.ts'

test('reads the token of a tool call', () => {
  expect(getToken({ authorization: { token: 'abc' }, progressToken: 1 })).toBe('abc')
})

test.each([
  undefined,
  null,
  {},
  { authorization: null },
  { authorization: 'abc' },
  { authorization: { token: '' } },
  { authorization: { token: 1 } },
  'abc',
])('returns undefined for %j', meta => expect(getToken(meta)).toBeUndefined())
