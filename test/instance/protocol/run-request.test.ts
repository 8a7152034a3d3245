import { afterEach, expect, test, vi } from 'vitest'
import { RequestContext } from '../../../src/instance/protocol/request-context.ts'
import { type Run, runRequest } from '../../../src/instance/protocol/run-request.ts'

/** A run whose exchange only notes what becomes of it. */
function createRun(parts: Partial<Run>, log: object = {}) {
  const sent = Promise.withResolvers<string | undefined>()
  const told = Promise.withResolvers<string>()
  const tenant = {
    counters: { active: 0, count() {} },
    changed() {},
    server: {},
    log: { message() {}, request() {}, server: (_level: string, text: string) => told.resolve(text), ...log },
  }
  const run = {
    exchange: { tenant },
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
  return { run, sent: sent.promise, told: told.promise, tenant }
}

afterEach(() => void vi.useRealTimers())

const answer = { members: '', failed: false }

test('a result that cannot be written is an internal error of its request alone', async () => {
  const { run, sent, told, tenant } = createRun({
    finishResult: () => {
      throw new RangeError('too deep')
    },
  })
  runRequest(run, async () => answer)
  expect(JSON.parse((await sent)!)).toMatchObject({
    id: 1,
    error: { code: -32603, message: 'Internal error' },
  })
  expect(await told).toMatch('m failed: RangeError: too deep')
  expect(tenant.counters.active).toBe(0)
})

test('a fault after the answer is told in the log', async () => {
  const fault = {
    message() {
      throw new RangeError('too deep')
    },
  }
  const { run, sent, told } = createRun({}, fault)
  runRequest(run, async () => answer)
  expect(await sent).toBe('{"jsonrpc":"2.0","id":1,"result":{"ok":true}}')
  expect(await told).toMatch('m failed: RangeError: too deep')
})

test('an answer that takes long becomes a stream, so that nobody takes its connection for a dead one', async () => {
  vi.useFakeTimers()
  const open = vi.fn()
  const handler = Promise.withResolvers<typeof answer>()
  const { run, sent } = createRun({ conversation: { open } as unknown as Run['conversation'] })
  runRequest(run, () => handler.promise)
  vi.advanceTimersByTime(14_999)
  expect(open).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(open).toHaveBeenCalledExactlyOnceWith(run)
  handler.resolve(answer)
  await sent
  expect(vi.getTimerCount()).toBe(0)
})

test('an answer that comes in time is no stream', async () => {
  vi.useFakeTimers()
  const open = vi.fn()
  const { run, sent } = createRun({ conversation: { open } as unknown as Run['conversation'] })
  runRequest(run, async () => answer)
  await sent
  expect([open.mock.calls, vi.getTimerCount()]).toEqual([[], 0])
})
