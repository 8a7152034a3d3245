import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { guardChannel } from '../../../src/daemon/engine/guarded-channel.ts'
import { HandleSender } from '../../../src/daemon/engine/handle-sender.ts'
import type { ToInstance } from '../../../src/shared/instances/instance-protocol.ts'
import { AcceptedSockets } from '../../helpers/clients/accepted-sockets.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'

/** Reports each received message, except plain ones, with the port of its connection. */
const RECEIVER = `process.on('message', ({ plain, seq, tenantId }, socket) => {
  if (!plain) process.send({ seq, tenantId, port: socket?.remotePort }); socket?.destroy() }); process.send('ready')`

interface Arrived {
  seq: number
  tenantId: string
  port: number
}

describe.runIf(process.platform === 'linux')('HandleSender', () => {
  let connections: AcceptedSockets
  let child: ChildProcess
  let sender: HandleSender
  let violations: string[]

  beforeEach(async () => {
    connections = new AcceptedSockets()
    child = spawn(process.execPath, ['-e', RECEIVER], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    sender = new HandleSender(child)
    violations = []
    guardChannel(child, what => violations.push(what), sender)
    await once(child, 'message')
  })

  afterEach(() => {
    child.kill('SIGKILL')
    connections[Symbol.dispose]()
  })

  test('65 of 100 handles are written to a stopped process, and all arrive with their messages once it continues', async () => {
    child.kill('SIGSTOP')
    const sent = await sendAll([...Array(100)].map(() => 0))
    let written = 0
    for (const one of sent) void one.written.then(() => written++)
    // Node alone would send one handle and wait for its acknowledgement.
    await eventually(() => written === 65)
    const arrived = listen(sent.length)
    child.kill('SIGCONT')
    expect(await arrived).toEqual(sent.map(({ message }) => message))
    await eventually(() => written === 100)
    expect(violations).toEqual([])
  })

  test('handles arrive with their messages when some messages are too long for one write', async () => {
    child.kill('SIGSTOP')
    const sizes = [...Array(60)].map((_, index) =>
      index % 7 === 3 ? 300_000 : index % 5 === 0 ? 40_000 : (index % 3) * 7000,
    )
    const sent = await sendAll(sizes)
    const arrived = listen(sent.length)
    child.kill('SIGCONT')
    expect(await arrived).toEqual(sent.map(({ message }) => message))
    expect(violations).toEqual([])
  })

  test("handles arrive with their messages wherever the reader's 64 KB buffer ends", async () => {
    for (let cut = 0; cut < 120; cut += 15) {
      child.kill('SIGSTOP')
      // The second message starts `cut` bytes before the end of a read.
      const length = 65_536 - cut - '{"plain":""}\n'.length
      const sent = await sendAll([0, 0, 0, 0], seq => {
        if (seq === 1) child.send({ plain: 'x'.repeat(length) })
      })
      const arrived = listen(sent.length)
      child.kill('SIGCONT')
      expect(await arrived).toEqual(sent.map(({ message }) => message))
    }
    expect(violations).toEqual([])
  })

  test('HandleSender settles no more acknowledgements than it has sent handles', async () => {
    const sent = await sendAll([0, 300_000, 0])
    await listen(sent.length)
    expect(sender.settles({ cmd: 'NODE_HANDLE_ACK' })).toBe(false)
    const again = await sendAll([0])
    await listen(again.length)
    expect(sender.settles({ cmd: 'NODE_HANDLE_ACK' })).toBe(false)
    expect(violations).toEqual([])
  })

  test('HandleSender does not wait for an acknowledgement for a closed socket', async () => {
    const { socket } = await connections.accept()
    socket.destroy()
    await once(socket, 'close')
    const message = connectionOf(1, 0)
    const arrived = once(child, 'message')
    sender.send(message, socket, () => {})
    expect((await arrived)[0]).toEqual({ seq: 1, tenantId: 'dep_1' })
    expect(sender.settles({ cmd: 'NODE_HANDLE_ACK' })).toBe(false)
    const sent = await sendAll([0, 0])
    expect(await listen(2)).toEqual(sent.map(({ message }) => message))
  })

  /** Sends one connection per head size. `before` is called before each. */
  async function sendAll(sizes: readonly number[], before: (seq: number) => void = () => {}) {
    const accepted: { socket: Socket; port: number }[] = []
    for (const _ of sizes) accepted.push(await connections.accept())
    return accepted.map(({ socket, port }, seq) => {
      before(seq)
      const written = new Promise<void>((resolve, reject) =>
        sender.send(connectionOf(seq, sizes[seq]!), socket, error => (error ? reject(error) : resolve())),
      )
      written.catch(() => {}) // rejects when the process is killed after the test
      return { message: { seq, tenantId: `dep_${seq}`, port }, written }
    })
  }

  /** Resolves with the next `count` messages. */
  function listen(count: number): Promise<Arrived[]> {
    const arrived: Arrived[] = []
    return new Promise(resolve => {
      const take = (message: unknown) => {
        if (arrived.push(message as Arrived) < count) return
        child.off('message', take)
        resolve(arrived)
      }
      child.on('message', take)
    })
  }
})

function connectionOf(seq: number, headLength: number): ToInstance {
  const head = headLength > 0 ? { head: 'x'.repeat(headLength) } : {}
  return { type: 'connection', tenantId: `dep_${seq}`, seq, ...head } as ToInstance
}
