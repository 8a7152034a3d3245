import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startKeepAlive, stopKeepAlive } from '../../../src/instance/protocol/keep-alive.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function add() {
  const request = { startedAt: performance.now(), context: { openSink: vi.fn() } }
  startKeepAlive(request)
  return request
}

test('opens the stream of each request once, after its own delay', () => {
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

test.each([0, 1, 2, 3])('opens the streams of all requests except request %i, which was answered', index => {
  const requests = [add(), add(), add(), add()]
  stopKeepAlive(requests[index]!)
  stopKeepAlive(requests[index]!)
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
])(
  'opens the streams of all requests except requests %i and %i, which were answered in this order',
  (one, other) => {
    const requests = [add(), add(), add(), add()]
    stopKeepAlive(requests[one]!)
    stopKeepAlive(requests[other]!)
    vi.advanceTimersByTime(15_000)
    expect(requests.map(({ context }) => context.openSink.mock.calls.length)).toEqual(
      requests.map((_, at) => (at === one || at === other ? 0 : 1)),
    )
  },
)

test('runs no timer without requests, and gives a later request its full delay', () => {
  const [one, other] = [add(), add()]
  vi.advanceTimersByTime(9000)
  stopKeepAlive(other)
  stopKeepAlive(one)
  expect(vi.getTimerCount()).toBe(0)
  const next = add()
  vi.advanceTimersByTime(14_999)
  expect(next.context.openSink).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(next.context.openSink).toHaveBeenCalledOnce()
})

test('opens the stream of a request that was added while another stream was opened', () => {
  let next: ReturnType<typeof add> | undefined
  const first = add()
  first.context.openSink.mockImplementation(() => {
    next = add()
  })
  vi.advanceTimersByTime(15_000)
  vi.advanceTimersByTime(15_000)
  expect(next!.context.openSink).toHaveBeenCalledOnce()
})
