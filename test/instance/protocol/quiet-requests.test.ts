import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addQuiet, removeQuiet } from '../../../src/instance/protocol/quiet-requests.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function add() {
  const request = { startedAt: performance.now(), context: { openSink: vi.fn() } }
  addQuiet(request)
  return request
}

test('each is opened when its own time has come, and once', () => {
  const first = add()
  vi.advanceTimersByTime(5000)
  const second = add()
  vi.advanceTimersByTime(10_000)
  expect(first.context.openSink).toHaveBeenCalledOnce()
  expect(second.context.openSink).not.toHaveBeenCalled()
  vi.advanceTimersByTime(5000)
  expect(second.context.openSink).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(60_000)
  expect(first.context.openSink).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})

test.each([0, 1, 2, 3])('without number %i, which was answered, the others are opened', index => {
  const requests = [add(), add(), add(), add()]
  removeQuiet(requests[index]!)
  removeQuiet(requests[index]!)
  vi.advanceTimersByTime(15_000)
  expect(requests.map(({ context }) => context.openSink.mock.calls.length)).toEqual(
    requests.map((_, at) => (at === index ? 0 : 1)),
  )
})

test.each([
  [0, 1],
  [1, 2],
  [2, 1],
  [3, 2],
])('without neighbours %i and %i, which were answered in this order, the others are opened', (one, other) => {
  const requests = [add(), add(), add(), add()]
  removeQuiet(requests[one]!)
  removeQuiet(requests[other]!)
  vi.advanceTimersByTime(15_000)
  expect(requests.map(({ context }) => context.openSink.mock.calls.length)).toEqual(
    requests.map((_, at) => (at === one || at === other ? 0 : 1)),
  )
})

test('no timer runs when none waits, and one that comes then has its full time', () => {
  const [one, other] = [add(), add()]
  vi.advanceTimersByTime(9000)
  removeQuiet(other)
  removeQuiet(one)
  expect(vi.getTimerCount()).toBe(0)
  const next = add()
  vi.advanceTimersByTime(14_999)
  expect(next.context.openSink).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(next.context.openSink).toHaveBeenCalledOnce()
})

test('one that is opened may be followed by another that it brings', () => {
  let next: ReturnType<typeof add> | undefined
  const first = add()
  first.context.openSink.mockImplementation(() => {
    next = add()
  })
  vi.advanceTimersByTime(15_000)
  vi.advanceTimersByTime(15_000)
  expect(next!.context.openSink).toHaveBeenCalledOnce()
})
