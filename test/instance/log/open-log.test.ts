import { expect, test } from 'vitest'
import { openLog } from '../../../src/instance/log/open-log.ts'
import { createTenant } from '../../fixtures/instance/tenant.ts'

test('what a server prints and what its instance says go into the same log', () => {
  expect(openLog(createTenant('dep_a'))).toBe(openLog(createTenant('dep_a')))
})

test('tenants that share a process have logs of their own', () => {
  const one = openLog(createTenant('dep_a', { logFile: '/logs/a.log' }))
  expect(openLog(createTenant('dep_b', { logFile: '/logs/b.log' }))).not.toBe(one)
  expect(openLog(createTenant('dep_b'))).not.toBe(openLog(createTenant('dep_c')))
})
