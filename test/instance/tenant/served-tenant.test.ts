import { expect, test } from 'vitest'
import type { PreparedServer } from '../../../src/instance/server/prepared-server.ts'
import { ServedTenant } from '../../../src/instance/tenant/served-tenant.ts'
import type { Tenant } from '../../../src/shared/instances/instance-protocol.ts'

test('a tenant has no room for another stream at the limit of open streams or running requests', () => {
  const tenant = new ServedTenant({ env: {} } as Tenant, 'i', {} as PreparedServer, () => {})
  expect(tenant.hasRoomForStream).toBe(true)
  tenant.openStreams = 1000
  expect(tenant.hasRoomForStream).toBe(false)
  tenant.openStreams = 0
  tenant.counters.active = 2000
  expect(tenant.hasRoomForStream).toBe(false)
})
