import { afterEach, expect, test, vi } from 'vitest'
import { missingMethod } from '../../../src/instance/protocol/methods.ts'
import { RequestContext } from '../../../src/instance/protocol/request-context.ts'
import type { Run } from '../../../src/instance/protocol/run.ts'
import { runRequest } from '../../../src/instance/protocol/run-request.ts'

/** A run that records its outcome. */
function createRun(parts: Partial<Run>, log: object = {}) {
  const sent = Promise.withResolvers<string | undefined>()
  const logged = Promise.withResolvers<string>()
  const tenant = {
    counters: { active: 0, count() {} },
    changed() {},
    server: {},
    log: {
      message() {},
      request() {},
      server: (_level: string, text: string) => logged.resolve(text),
      ...log,
    },
  }
  const run = {
    exchange: { tenant, request: { headers: {} } },
    request: { jsonrpc: '2.0', id: 1, method: 'm' },
    context: new RequestContext(undefined, undefined),
    finishResult: () => '"ok":true',
    deliver: (body: string | undefined) => {
      sent.resolve(body)
      return body?.length ?? 0
    },
    startedAt: 0,
    isSettled: false,
    ...parts,
  } as unknown as Run
  return { run, sent: sent.promise, logged: logged.promise, tenant }
}

afterEach(() => void vi.useRealTimers())

const answer = { members: '', failed: false }

test('a result that cannot be serialized fails only its own request', async () => {
  const { run, sent, logged, tenant } = createRun({
    finishResult: () => {
      throw new RangeError('too deep')
    },
  })
  runRequest(run, async () => answer)
  expect(JSON.parse((await sent)!)).toMatchObject({
    id: 1,
    error: { code: -32603, message: 'Internal error' },
  })
  expect(await logged).toMatch('m failed: RangeError: too deep')
  expect(tenant.counters.active).toBe(0)
})

test('counts a request for a missing method as a request without an error', () => {
  const { run, tenant } = createRun({})
  const counted: unknown[] = []
  Object.assign(tenant.counters, { count: (...args: unknown[]) => counted.push([args[0], args[3]]) })
  runRequest(run, missingMethod)
  expect(counted).toEqual([['m', false]])
})

test('logs an error that occurs after the answer was sent', async () => {
  const fault = {
    request() {
      throw new RangeError('too deep')
    },
  }
  const { run, sent, logged } = createRun({}, fault)
  runRequest(run, async () => answer)
  expect(await sent).toBe('{"jsonrpc":"2.0","id":1,"result":{"ok":true}}')
  expect(await logged).toMatch('m failed: RangeError: too deep')
})

test('turns a slow answer into a stream, which keeps the connection alive', async () => {
  vi.useFakeTimers()
  const open = vi.fn()
  const handler = Promise.withResolvers<typeof answer>()
  const { run, sent } = createRun({ sideChannel: { open } as unknown as Run['sideChannel'] })
  runRequest(run, () => handler.promise)
  vi.advanceTimersByTime(14_999)
  expect(open).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(open).toHaveBeenCalledExactlyOnceWith(run)
  handler.resolve(answer)
  await sent
  expect(vi.getTimerCount()).toBe(0)
})

test('does not turn a fast answer into a stream', async () => {
  vi.useFakeTimers()
  const open = vi.fn()
  const { run, sent } = createRun({ sideChannel: { open } as unknown as Run['sideChannel'] })
  runRequest(run, async () => answer)
  await sent
  expect([open.mock.calls, vi.getTimerCount()]).toEqual([[], 0])
})
