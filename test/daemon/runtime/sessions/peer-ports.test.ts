import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { PeerPorts } from '../../../../src/daemon/runtime/sessions/peer-ports.ts'
import { PeerRequests } from '../../../../src/daemon/runtime/sessions/peer-requests.ts'
import type { ToInstance } from '../../../../src/shared/instances/instance-protocol.ts'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** Listens on a port that the daemon has opened, as an instance does. Returns the port. */
async function listen(ports: PeerPorts, key: string): Promise<number> {
  const { port, handle } = await ports.open(key)
  const server = createServer(socket => socket.on('error', () => {}).end('here')).listen(handle)
  open.push(server)
  await once(server, 'listening')
  return port
}

test('a process is connected only to peer ports with its own key', async () => {
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

test('forgets the peer ports of a process that has exited', async () => {
  const ports = new PeerPorts()
  const sent: ToInstance[] = []
  const requests = new PeerRequests({
    ports,
    maxPorts: 1,
    send: (message, handle, onSent) => {
      sent.push(message)
      if (handle) onSent?.()
    },
  })
  await requests.openPort({ type: 'open-peer-port', tenantId: 'dep_1', seq: 1, key: 'mine' })
  const [{ port }] = sent as [Extract<ToInstance, { type: 'peer-port' }>]
  requests.close()
  await requests.reach({ type: 'reach-peer', tenantId: 'dep_1', seq: 1, port, key: 'mine' })
  expect(sent[1]).toEqual({ type: 'peer-reached', tenantId: 'dep_1', seq: 1 })
})

test('opens a limited number of peer ports for a process', async () => {
  const { requests, sent, handles } = startRequests({ maxPorts: 2 })
  const ask = (_: unknown, seq: number) =>
    requests.openPort({ type: 'open-peer-port', tenantId: 'dep_1', seq, key: 'mine' })
  await Promise.all(Array.from({ length: 5 }, ask))
  expect(handles).toHaveLength(2)
  expect(sent.filter(message => message.type === 'peer-port' && message.port === 0)).toHaveLength(3)
})

test('a retired tenant releases its peer ports, but not the ones that it requested for its next start', async () => {
  const { requests, sent, handles } = startRequests({ maxPorts: 2 })
  const ask = (seq: number, tenantId = 'dep_1') =>
    requests.openPort({ type: 'open-peer-port', tenantId, seq, key: 'mine' })
  const portsSent = () => sent.flatMap(message => (message.type === 'peer-port' ? message.port : []))
  await ask(1)
  await ask(2) // served again before it has retired
  await ask(3, 'dep_2')
  expect(portsSent()).toEqual([expect.any(Number), expect.any(Number), 0])
  const [first, second] = portsSent() as [number, number]
  requests.retire({ type: 'retired', tenantId: 'dep_1', lastSeq: 1 })
  for (const [seq, port] of [first, second].entries())
    await requests.reach({ type: 'reach-peer', tenantId: 'dep_1', seq, port, key: 'mine' })
  expect(sent.slice(3)).toEqual([0, 1].map(seq => ({ type: 'peer-reached', tenantId: 'dep_1', seq })))
  expect(handles).toHaveLength(3) // two ports, and a connection to the second
  await ask(4, 'dep_2')
  expect(portsSent().at(-1)).not.toBe(0)
  for (const settle of handles) settle()
})

test('a tenant that retires while its peer port is being opened releases it', async () => {
  const { requests, sent, handles } = startRequests()
  const ask = (seq: number) =>
    requests.openPort({ type: 'open-peer-port', tenantId: 'dep_1', seq, key: 'mine' })
  const opening = ask(1)
  requests.retire({ type: 'retired', tenantId: 'dep_1', lastSeq: 1 })
  await opening
  const [{ port }] = sent as [Extract<ToInstance, { type: 'peer-port' }>]
  await requests.reach({ type: 'reach-peer', tenantId: 'dep_1', seq: 1, port, key: 'mine' })
  await ask(2)
  expect(handles).toHaveLength(2) // two ports, and no connection
  for (const settle of handles) settle()
})

test('makes no more peer connections for a process that has not accepted 64 of them', async () => {
  const { requests, sent, handles } = startRequests()
  requests.address = await listen(new PeerPorts(), 'mine')
  const port = requests.address
  const ask = (seq: number) =>
    requests.reach({ type: 'reach-peer', tenantId: 'dep_1', seq, port, key: 'mine' })
  for (let seq = 0; seq < 70; seq++) await ask(seq)
  expect(sent).toHaveLength(70)
  expect(handles).toHaveLength(64)
  for (const take of handles.splice(0)) take()
  await ask(71)
  expect(handles).toHaveLength(1)
  handles[0]!()
})

/** `handles`: functions that settle the handles that were sent. */
function startRequests({ maxPorts = 1 } = {}) {
  const sent: ToInstance[] = []
  const handles: (() => void)[] = []
  const requests = new PeerRequests({
    ports: new PeerPorts(),
    maxPorts,
    send: (message, handle, onSent) => {
      sent.push(message)
      if (handle && onSent) handles.push(onSent)
    },
  })
  return { requests, sent, handles }
}
