import { expect, test } from 'vitest'
import { openLog } from '../../../src/instance/log/open-log.ts'
import { createTenant } from '../../fixtures/instance/tenant.ts'

test('opening the log of a tenant without a log file twice returns the same log', () => {
  expect(openLog(createTenant('dep_a'))).toBe(openLog(createTenant('dep_a')))
})

test('tenants of the same process have separate logs', () => {
  const one = openLog(createTenant('dep_a', { logFile: '/logs/a.log' }))
  expect(openLog(createTenant('dep_b', { logFile: '/logs/b.log' }))).not.toBe(one)
  expect(openLog(createTenant('dep_b'))).not.toBe(openLog(createTenant('dep_c')))
})
