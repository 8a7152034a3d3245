import { afterEach, expect, test, vi } from 'vitest'
import { connectTo, PeerPorts } from '../../../src/daemon/runtime/sessions/peer-ports.ts'
import { PeerConnector } from '../../../src/instance/peers/peer-connector.ts'
import { Peers } from '../../../src/instance/peers/peers.ts'
import type { FromInstance, Tenant } from '../../../src/shared/instances/instance-protocol.ts'

const opened: Peers[] = []
afterEach(() => {
  for (const peers of opened.splice(0)) peers.close()
})

function createPeers(connector: PeerConnector): Peers {
  const config = { id: 'dep_1', stateKey: 'mine' } as Tenant
  const tenant = { config, stateKey: Buffer.from('mine'), isDraining: false, acceptsFromPeer: () => true }
  const peers = new Peers(tenant, undefined)
  peers.connector = connector
  opened.push(peers)
  return peers
}

async function isListening(port: number): Promise<boolean> {
  const socket = await connectTo(port)
  socket?.destroy()
  return socket !== undefined
}

test('a tenant that retires while its peer port is opened closes the port, and the next start gets another', async () => {
  const sent: FromInstance[] = []
  const connector = new PeerConnector(message => sent.push(message))
  const [retired, next] = [createPeers(connector), createPeers(connector)]
  const first = retired.listen(() => {})
  retired.close()
  const second = next.listen(() => {})
  expect(sent).toMatchObject([1, 2].map(seq => ({ type: 'open-peer-port', tenantId: 'dep_1', seq })))
  const ports = new PeerPorts()
  for (const seq of [2, 1]) {
    const { port, handle } = await ports.open('mine')
    connector.onPort({ type: 'peer-port', tenantId: 'dep_1', seq, port }, handle)
  }
  const [closed, open] = [await first, await second]
  await vi.waitFor(async () => expect(await isListening(closed)).toBe(false))
  expect(await isListening(open)).toBe(true)
})
