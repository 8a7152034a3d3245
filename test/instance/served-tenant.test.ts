import { expect, test } from 'vitest'
import type { PreparedServer } from '../../src/instance/prepared-server.ts'
import { ServedTenant } from '../../src/instance/served-tenant.ts'
import type { Tenant } from '../../src/shared/instance-protocol.ts'

test('there is room for a stream while few are open and few requests run, seen or not', () => {
  const tenant = new ServedTenant({ env: {} } as Tenant, 'i', {} as PreparedServer, () => {})
  expect(tenant.hasRoomForStream).toBe(true)
  tenant.openStreams = 1000
  expect(tenant.hasRoomForStream).toBe(false)
  tenant.openStreams = 0
  tenant.counters.active = 2000
  expect(tenant.hasRoomForStream).toBe(false)
})
