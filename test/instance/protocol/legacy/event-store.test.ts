import { describe, expect, test, vi } from 'vitest'
import type { SseResponse } from '../../../../src/instance/http/sse-response.ts'
import { EventStore } from '../../../../src/instance/protocol/legacy/event-store.ts'

/** Collects what a stream sends. */
function createSink() {
  const sent: string[] = []
  const sink = {
    isOpen: true,
    sent,
    send: (data: string, id?: string) => sent.push(`${id} ${data}`),
    end: vi.fn(),
    prime: vi.fn(),
  }
  return sink as typeof sink & SseResponse
}

describe('event store', () => {
  test('a resumed stream sends the missed events and then the new ones', () => {
    const store = new EventStore(1)
    const stream = store.open('s')
    const first = createSink()
    stream.attach(first, true)
    expect(first.prime).toHaveBeenCalledWith('1-0', 1000)
    for (const data of ['a', 'b']) stream.send(data)
    const second = createSink()
    const found = store.find('1-1', 's')!
    found.stream.resume(second, found.after)
    stream.send('c')
    expect(first.sent).toEqual(['1-1 a', '1-2 b'])
    expect(second.sent).toEqual(['1-2 b', '1-3 c'])
    expect(first.end).toHaveBeenCalled()
  })

  test('finds a stream only in its own session, and forgets it with the session', () => {
    const store = new EventStore(1)
    store.open('s').send('a')
    expect(store.find('1-0', 'other')).toBeUndefined()
    expect(store.find('1-0', 's')).toBeDefined()
    store.forgetSession('s')
    expect(store.find('1-0', 's')).toBeUndefined()
  })

  test('does not mistake the stream of another instance for its own', () => {
    const { id } = new EventStore().open('s')
    const other = new EventStore()
    other.open('s').send('a')
    expect(other.find(`${id}-0`, 's')).toBeUndefined()
  })

  test('limits the stored size of each stream', () => {
    const store = new EventStore()
    const stream = store.open('s')
    for (let index = 0; index < 30; index++) stream.send('x'.repeat(100_000))
    expect(stream.characters).toBeLessThanOrEqual(1024 * 1024)
  })

  test('a resumed stream skips dropped events but sends its result, however large', () => {
    const stream = new EventStore(1).open('s')
    for (const data of ['progress', 'x'.repeat(1_100_000), 'result'.repeat(200_000)]) stream.send(data)
    stream.finish()
    const sink = createSink()
    stream.resume(sink, 0)
    expect(sink.sent.map(event => event.slice(0, 10))).toEqual(['1-3 result'])
    expect(sink.end).toHaveBeenCalled()
  })

  test('limits the number of finished streams and keeps the newest', () => {
    const store = new EventStore()
    const ids = Array.from({ length: 1100 }, () => {
      const stream = store.open('s')
      stream.finish()
      return stream.id
    })
    expect(store.find(`${ids[0]}-0`, 's')).toBeUndefined()
    expect(store.find(`${ids.at(-1)}-0`, 's')).toBeDefined()
  })
})
