import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { Listener } from '../../../src/daemon/gateway/listener.ts'
import { listenOnFreePort } from '../../../src/daemon/gateway/ports.ts'

const acceptor = { accept: () => {}, onAcceptError: () => {} }
const open: Listener[] = []
afterEach(() => {
  for (const listener of open.splice(0)) listener.close()
})

it('uses the next port range when all ports of one are in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => other.once('listening', resolve))
  const theirs = (other.address() as AddressInfo).port
  const ours = await freePort()
  const ranges = [theirs, ours, await freePort()].map(port => ({ first: port, last: port }))

  const [first, second] = [await listen(ranges), await listen(ranges)]

  expect([first.port, second.port]).toEqual([ranges[1]!.first, ranges[2]!.first])
  await expect(listen(ranges)).rejects.toThrow(/No port from \d+ to \d+ or .* is free/)
  other.close()
})

it('a closed port can be assigned again', async () => {
  const port = await freePort()
  const ranges = [{ first: port, last: port }]
  const held = await listen(ranges)
  expect(Listener.holds(port)).toBe(true)

  held.close()

  expect(Listener.holds(port)).toBe(false)
  expect((await listen(ranges)).port).toBe(port)
})

async function listen(ranges: { first: number; last: number }[]): Promise<Listener> {
  const listener = await listenOnFreePort(acceptor, ranges)
  open.push(listener)
  return listener
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
