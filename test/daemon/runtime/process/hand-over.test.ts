import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { guardChannel } from '../../../../src/daemon/engine/guarded-channel.ts'
import { HandleSender } from '../../../../src/daemon/engine/handle-sender.ts'
import { HandOvers } from '../../../../src/daemon/runtime/process/hand-over.ts'
import { AcceptedSockets } from '../../../helpers/clients/accepted-sockets.ts'
import { eventually } from '../../../helpers/daemon/mcp.ts'
import { readProc } from '../../../helpers/processes.ts'

/** Number of connections, more than the IPC channel can buffer. */
const CONNECTIONS = 500

/** Source of a process that acknowledges all connections after a first SIGCONT, and reads them after a second. */
const EARLY_ACKNOWLEDGER = `
  const { writeSync } = require('node:fs')
  const say = seq => {
    for (;;) try { return writeSync(3, '{"type":"took","seq":' + seq + '}\\n') } catch (error) { if (error.code !== 'EAGAIN') throw error }
  }
  process.once('message', () => {
    process.kill(process.pid, 'SIGSTOP')
    for (let seq = 1; seq <= ${CONNECTIONS}; seq++) say(seq)
    process.kill(process.pid, 'SIGSTOP')
    process.on('message', (message, socket) => {
      process.send({ port: socket.remotePort })
      socket.destroy()
    })
  })
  process.send('ready')`

let connections: AcceptedSockets
let child: ChildProcess
let handOvers: HandOvers
const given: number[] = []
const taken: number[] = []

beforeEach(async () => {
  connections = new AcceptedSockets()
  child = spawn(process.execPath, ['-e', EARLY_ACKNOWLEDGER], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const handles = new HandleSender(child)
  handOvers = new HandOvers({ child, handles, hangTimeoutMs: 60_000, onHanging: () => {} })
  guardChannel(child, what => expect.unreachable(what), handles)
  await once(child, 'message')
  child.on('message', (message: { type?: string; seq: number; port: number }) => {
    if (message.type !== 'took') return given.push(message.port)
    taken.push(message.seq)
    handOvers.markTaken(message.seq)
  })
})

afterEach(() => {
  child.kill('SIGKILL')
  handOvers.close()
  connections[Symbol.dispose]()
})

test.runIf(process.platform === 'linux')(
  'a connection that a process claims to have taken stays open until it has been sent',
  async () => {
    child.send('go')
    await stopped()
    const sockets: Socket[] = []
    const ports: number[] = []
    for (let count = 0; count < CONNECTIONS; count++) {
      const { socket, port } = await connections.accept()
      sockets.push(socket)
      ports.push(port)
      handOvers.send({ tenantId: 'dep_a', socket, named: undefined, onLost: () => expect.unreachable() })
    }
    child.kill('SIGCONT')
    await eventually(() => taken.length === CONNECTIONS)
    const open = sockets.filter(({ destroyed }) => !destroyed)
    expect(open.length).toBeGreaterThan(100)
    expect(open.length).toBeLessThan(CONNECTIONS)
    // If a socket were closed too early, a new connection could get its descriptor and be sent instead.
    const others: number[] = []
    for (let count = 0; count < 50; count++) others.push((await connections.accept()).port)
    await stopped()
    child.kill('SIGCONT')
    await eventually(() => given.length === CONNECTIONS)
    expect(given).toEqual(ports)
    expect(given.filter(port => others.includes(port))).toEqual([])
    await eventually(() => sockets.every(({ destroyed }) => destroyed))
  },
)

async function stopped(): Promise<void> {
  await eventually(() => /^State:\s+T/m.test(readProc(child.pid!, 'status')))
}
