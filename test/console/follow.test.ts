import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { follow } from '../../src/console/api/follow.ts'

let page: EventTarget & { hidden: boolean }
/** Breaks the newest connection with an error. */
let breakConnection: () => void
let attempts: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  page = Object.assign(new EventTarget(), { hidden: false })
  attempts = 0
  vi.stubGlobal('document', page)
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('removeEventListener', () => {})
  vi.stubGlobal('fetch', async () => {
    attempts++
    const start = (stream: ReadableStreamDefaultController) => {
      breakConnection = () => stream.error(new TypeError('network error'))
    }
    return new Response(new ReadableStream({ start }))
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function start() {
  const ending = new AbortController()
  const onRefused = (error: Error) => expect.unreachable(error.message)
  const options = { signal: ending.signal, onEvent() {}, onState() {}, onRefused }
  return { ending, ended: follow('/api/events', options) }
}

/** Breaks the connection and waits for the next one. Returns the delay in milliseconds. */
async function reconnect(): Promise<number> {
  const [known, brokenAt] = [attempts, performance.now()]
  breakConnection()
  while (attempts === known) await vi.advanceTimersByTimeAsync(50)
  await vi.advanceTimersByTimeAsync(0)
  return performance.now() - brokenAt
}

test('a stream that breaks with an error after a healthy time is opened again after the shortest delay', async () => {
  const { ending, ended } = start()
  await vi.advanceTimersByTimeAsync(0)
  const delays: number[] = []
  for (let count = 0; count < 6; count++) delays.push(await reconnect())
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 5000])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await reconnect()).toBe(250)
  expect(await reconnect()).toBe(500)
  ending.abort()
  breakConnection()
  await ended
})

test('a hidden page leaves no listeners on the signal when it is shown again', async () => {
  const { ending, ended } = start()
  const { signal } = ending
  const added = vi.spyOn(signal, 'addEventListener')
  const removed = vi.spyOn(signal, 'removeEventListener')
  await vi.advanceTimersByTimeAsync(0)
  for (const hidden of [true, false, true, false]) {
    page.hidden = hidden
    page.dispatchEvent(new Event('visibilitychange'))
    if (hidden) breakConnection()
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(attempts).toBe(3)
  expect(added.mock.calls.map(([, listener]) => listener)).toEqual(
    removed.mock.calls.map(([, listener]) => listener),
  )
  expect(added).toHaveBeenCalledTimes(2)
  ending.abort()
  breakConnection()
  await ended
})
