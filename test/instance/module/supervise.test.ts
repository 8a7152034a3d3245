import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { supervise } from '../../../src/instance/module/supervise.ts'
import { RequestContext } from '../../../src/instance/protocol/request-context.ts'
import type { Run } from '../../../src/instance/protocol/run.ts'
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

describe('the time that a client takes for its answers', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Context of a request whose client answers each question after this time. */
  function askingContext(answerMs: number): RequestContext {
    const context = new RequestContext(undefined, undefined)
    context.run = { sideChannel: { ask: () => wait(answerMs).then(() => ({})) } } as unknown as Run
    return context
  }

  const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

  /** Calls a tool with a limit of 60 s. */
  async function call(answerMs: number, handler: (context: ClientContext) => Promise<unknown>) {
    const { server } = createServer(async (_args, context) => {
      await handler(context)
      return text('done')
    }, 60_000)
    const result = server.findTool('slow')!.call({}, askingContext(answerMs))
    await vi.advanceTimersByTimeAsync(600_000)
    return await result
  }

  const late = expect.objectContaining({ isError: true })

  test('does not count, even if the client answers just before the limit', async () => {
    const asks = async (context: ClientContext) => {
      await context.ask('elicitation/create', {})
      await wait(2000)
    }
    expect(await call(59_000, asks)).toEqual(text('done'))
    expect(await call(300_000, asks)).toEqual(text('done'))
  })

  test('does not extend the time of the handler itself', async () => {
    const works = (ms: number) => async (context: ClientContext) => {
      await wait(50_000)
      await Promise.all([context.ask('roots/list', {}), context.ask('elicitation/create', {})])
      await wait(ms)
    }
    expect(await call(30_000, works(9000))).toEqual(text('done'))
    expect(await call(30_000, works(11_000))).toEqual(late)
    expect(await call(0, () => wait(61_000))).toEqual(late)
  })
})

test('returns an error unchanged if it arrives in time', async () => {
  const { server } = createServer(() => Promise.reject(new Error('broken')))
  await expect(server.findTool('slow')!.call({}, createContext())).rejects.toThrow('broken')
})
