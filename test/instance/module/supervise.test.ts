import { expect, test, vi } from 'vitest'
import { supervise } from '../../../src/instance/module/supervise.ts'
import type { ClientContext } from '../../../src/instance/server/client-context.ts'
import type { PreparedServer, PreparedTool } from '../../../src/instance/server/prepared-server.ts'
import type { Tenant } from '../../../src/shared/instances/instance-protocol.ts'

type Call = PreparedTool['call']

/** A supervised server with one tool, and its log. */
function createServer(call: Call, handlerTimeoutMs = 20) {
  const tool: PreparedTool = { name: 'slow', inputSchema: {}, streams: false, call }
  const server = {
    findTool: (name: string) => (name === 'slow' ? tool : undefined),
    readResource: () => new Promise(() => {}),
  } as unknown as PreparedServer
  const supervised = supervise(server, { handlerTimeoutMs } as Tenant)
  const log = vi.fn()
  supervised.attach?.({ announce() {}, resourceUpdated() {}, fail() {}, log })
  return { server: supervised, log }
}

function createContext(changes: Partial<ClientContext> = {}): ClientContext {
  return { cancel: vi.fn(), ...changes } as unknown as ClientContext
}

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

test('returns an answer unchanged if it arrives in time', async () => {
  const { server: sync } = createServer(() => text('now'))
  expect(sync.findTool('slow')!.call({}, createContext())).toEqual(text('now'))
  const { server: later } = createServer(async () => text('soon'))
  expect(await later.findTool('slow')!.call({}, createContext())).toEqual(text('soon'))
})

test('findTool returns the same object for all calls of a tool, and undefined for an unknown tool', () => {
  const { server } = createServer(() => text('now'))
  expect(server.findTool('slow')).toBe(server.findTool('slow'))
  expect(server.findTool('other')).toBeUndefined()
})

test('fails a slow tool, aborts its signal and logs the timeout', async () => {
  const { server, log } = createServer(() => new Promise(() => {}))
  const context = createContext()
  expect(await server.findTool('slow')!.call({}, context)).toEqual({
    ...text('The tool "slow" did not answer within 0.02 s.'),
    isError: true,
  })
  expect(context.cancel).toHaveBeenCalledOnce()
  expect(log).toHaveBeenCalledWith(
    'warn',
    'The tool "slow" did not answer within 0.02 s. Its signal was aborted.',
  )
})

test('fails a slow resource with a protocol error', async () => {
  const { server } = createServer(() => text('now'))
  await expect(server.readResource('a://b', createContext())).rejects.toMatchObject({
    code: -32603,
    message: 'The resource "a://b" did not answer within 0.02 s.',
  })
})

test('does not count time spent waiting for the client', async () => {
  vi.useFakeTimers()
  const context = { ...createContext(), isAsking: true }
  const answered = Promise.withResolvers<ReturnType<typeof text>>()
  const { server } = createServer(() => answered.promise, 5)
  const result = server.findTool('slow')!.call({}, context)
  vi.advanceTimersByTime(60_000)
  answered.resolve(text('at last'))
  vi.useRealTimers()
  expect(await result).toEqual(text('at last'))
  expect(context.cancel).not.toHaveBeenCalled()
})

test('returns an error unchanged if it arrives in time', async () => {
  const { server } = createServer(() => Promise.reject(new Error('broken')))
  await expect(server.findTool('slow')!.call({}, createContext())).rejects.toThrow('broken')
})
