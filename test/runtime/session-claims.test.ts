import { expect, test } from 'vitest'
import type { Instance } from '../../src/daemon/runtime/instance.ts'
import { SessionClaims } from '../../src/daemon/runtime/session-claims.ts'

const [first, second] = [{}, {}] as [Instance, Instance]

test('the first instance that asks has the session, until nobody answers there', () => {
  const claims = new SessionClaims()
  expect(claims.settle(first, { session: 's', port: 1001, gone: 9 })).toBe(1001)
  expect(claims.settle(second, { session: 's', port: 1002, gone: 9 })).toBe(1001)
  expect(claims.settle(first, { session: 's', port: 1001, gone: 9 })).toBe(1001)
  expect(claims.settle(second, { session: 's', port: 1002, gone: 1001 })).toBe(1002)
})

test('an instance that ended has no sessions', () => {
  const claims = new SessionClaims()
  claims.settle(first, { session: 's', port: 1001, gone: 9 })
  claims.forget(first)
  expect(claims.settle(second, { session: 's', port: 1002, gone: 9 })).toBe(1002)
})
