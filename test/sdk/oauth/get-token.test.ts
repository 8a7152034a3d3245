import { expect, test } from 'vitest'
import { getToken } from '../../../src/sdk/oauth/resource/get-token.ts'

test('getToken reads the token of a tool call', () => {
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
])('getToken returns undefined for the _meta %j', meta => expect(getToken(meta)).toBeUndefined())
