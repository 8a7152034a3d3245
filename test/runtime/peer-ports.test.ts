import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { PeerPorts } from '../../src/daemon/runtime/peer-ports.ts'
import { PeerRequests } from '../../src/daemon/runtime/peer-requests.ts'
import type { ToInstance } from '../../src/shared/instance-protocol.ts'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** An instance that listens on a port that the daemon has opened. */
async function listen(ports: PeerPorts, key: string): Promise<number> {
  const { port, handle } = await ports.open(key)
  const server = createServer(socket => socket.end('here')).listen(handle)
  open.push(server)
  await once(server, 'listening')
  return port
}

test('connects holders of the same key, and nothing else on the machine', async () => {
  const ports = new PeerPorts()
  const mine = await listen(ports, 'mine')
  const foreign = await listen(ports, 'foreign')
  const other = createServer().listen(0, '127.0.0.1')
  open.push(other)
  await once(other, 'listening')
  expect(await ports.connect(foreign, 'mine')).toBeUndefined()
  expect(await ports.connect((other.address() as { port: number }).port, 'mine')).toBeUndefined()
  const socket = (await ports.connect(mine, 'mine'))!
  const [data] = await once(socket.setEncoding('utf8').resume(), 'data')
  expect(data).toBe('here')
})

test('forgets the ports of a process that has ended', async () => {
  const ports = new PeerPorts()
  const sent: ToInstance[] = []
  const requests = new PeerRequests({
    ports,
    send: (message, handle, onSent) => {
      sent.push(message)
      if (handle) onSent?.()
    },
  })
  await requests.openPort({ type: 'open-peer-port', tenantId: 'dep_1', key: 'mine' })
  const [{ port }] = sent as [Extract<ToInstance, { type: 'peer-port' }>]
  requests.close()
  await requests.reach({ type: 'reach-peer', tenantId: 'dep_1', seq: 1, port, key: 'mine' })
  expect(sent[1]).toEqual({ type: 'peer-reached', tenantId: 'dep_1', seq: 1 })
})
