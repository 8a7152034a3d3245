import { expect, test, vi } from 'vitest'
import type { Session } from '../../../../src/instance/protocol/legacy/session.ts'
import { findSessionMethod } from '../../../../src/instance/protocol/legacy/session-methods.ts'
import type { PreparedServer } from '../../../../src/instance/server/prepared-server.ts'
import type { ServedTenant } from '../../../../src/instance/tenant/served-tenant.ts'
import { createCall } from '../../../helpers/instance/prepared.ts'

test('a session at its subscription limit can only subscribe again to the same resources', async () => {
  const pass = vi.fn()
  const server = {
    capabilities: { resources: { subscribe: true } },
    sendsServerRequests: true,
    hasResource: () => true,
    subscribe: (uri: string) => pass(uri),
  } as unknown as PreparedServer
  const uris = Array.from({ length: 1000 }, (_, index) => `test://${index}`)
  const session = { subscriptions: new Set(uris) } as Session
  const subscribe = findSessionMethod({ server } as ServedTenant, session, 'resources/subscribe')!
  await expect(subscribe(server, { uri: 'test://new' }, createCall())).rejects.toThrow('at most 1000')
  expect(pass).not.toHaveBeenCalled()
  await subscribe(server, { uri: 'test://1' }, createCall())
  expect(pass.mock.calls).toEqual([['test://1']])
  expect(session.subscriptions!.size).toBe(1000)
})
