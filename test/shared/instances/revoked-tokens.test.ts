import { expect, test } from 'vitest'
import { addRevoked, type RevokedTokens } from '../../../src/shared/instances/revoked-tokens.ts'

test('keeps a token with the longest lifetime until verifiers no longer accept it', () => {
  const revoked: RevokedTokens = {}
  addRevoked(revoked, { a: 86_405 }, 0)
  addRevoked(revoked, {}, 86_404)
  expect(revoked).toEqual({ a: 86_405 })
  addRevoked(revoked, {}, 86_405)
  expect(revoked).toEqual({})
})
