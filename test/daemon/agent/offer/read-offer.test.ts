import { expect, test } from 'vitest'
import { isOffered } from '../../../../src/daemon/agent/offer/read-offer.ts'

test.each([
  ['read_file', {}, true],
  ['read_file', { allow: ['read_file'] }, true],
  ['read_file', { allow: ['read'] }, false],
  ['read_file', { allow: ['read_*'] }, true],
  ['read_file', { allow: ['*_file'], deny: ['read*'] }, false],
  ['read_file', { deny: ['*'] }, false],
  ['read_file', { allow: [] }, false],
  ['aXbXc', { allow: ['a*b*c'] }, true],
  ['ab', { allow: ['ab*b'] }, false],
  ['a.b', { allow: ['a?b'] }, false],
  ['a', { allow: ['**'] }, true],
])('the tool %s with the filter %j is offered: %s', (name, filter, offered) =>
  expect(isOffered(name, filter)).toBe(offered),
)

test('a pattern with many stars is matched without exponential backtracking', () => {
  expect(isOffered('a'.repeat(200), { allow: [`${'*a'.repeat(99)}b`] })).toBe(false)
})
