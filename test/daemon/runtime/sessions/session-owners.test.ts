import { expect, test } from 'vitest'
import { SessionClaims } from '../../../../src/daemon/runtime/sessions/session-owners.ts'

const [first, second] = [{}, {}]

test('the first instance that claims a session keeps the session until the instance is gone', () => {
  const claims = new SessionClaims()
  expect(claims.settle(first, { session: 's', port: 1001, gone: 9 })).toBe(1001)
  expect(claims.settle(second, { session: 's', port: 1002, gone: 9 })).toBe(1001)
  expect(claims.settle(first, { session: 's', port: 1001, gone: 9 })).toBe(1001)
  expect(claims.settle(second, { session: 's', port: 1002, gone: 1001 })).toBe(1002)
})

test('a claim from a stopped instance is forgotten', () => {
  const claims = new SessionClaims()
  claims.settle(first, { session: 's', port: 1001, gone: 9 })
  claims.forget(first)
  expect(claims.settle(second, { session: 's', port: 1002, gone: 9 })).toBe(1002)
})
