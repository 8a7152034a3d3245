import { expect, test } from 'vitest'
import { openLog } from '../../../src/instance/log/open-log.ts'
import type { Tenant } from '../../../src/shared/instance-protocol.ts'

function createTenant(id: string, logFile?: string): Tenant {
  return { id, logLevel: 'info', env: {}, ...(logFile && { logFile }) } as Tenant
}

test('what a server prints and what its instance says go into the same log', () => {
  expect(openLog(createTenant('dep_a'))).toBe(openLog(createTenant('dep_a')))
})

test('tenants that share a process have logs of their own', () => {
  const one = openLog(createTenant('dep_a', '/logs/a.log'))
  expect(openLog(createTenant('dep_b', '/logs/b.log'))).not.toBe(one)
  expect(openLog(createTenant('dep_b'))).not.toBe(openLog(createTenant('dep_c')))
})
