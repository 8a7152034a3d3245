import { expect, test } from 'vitest'
import { Lookups } from '../../src/egress/lookups.ts'

test('lookups remember the fifty names that were last looked up for an address', async () => {
  const lookups = new Lookups({ lookup: async () => ['127.0.0.1'], resolve: async () => [] })
  for (let at = 0; at < 60; at++) await lookups.addresses(`${at}.localhost`)
  await lookups.addresses('20.localhost')
  const names = lookups.namesOf('127.0.0.1')
  expect(names).toHaveLength(50)
  expect(names).toContain('20.localhost')
  expect(names).toContain('59.localhost')
  expect(names).not.toContain('9.localhost')
})
