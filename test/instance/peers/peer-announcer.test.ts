import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PeerAnnouncer } from '../../../src/instance/peers/peer-announcer.ts'
import { type Announcement, MAX_ANNOUNCED } from '../../../src/shared/instances/instance-protocol.ts'

const received: Announcement[] = []
let announcer: PeerAnnouncer
beforeEach(() => {
  vi.useFakeTimers()
  received.length = 0
  announcer = new PeerAnnouncer(announcement => received.push(announcement))
})
afterEach(() => void vi.useRealTimers())

const numbers = Array.from({ length: MAX_ANNOUNCED + 1 }, (_, number) => String(number))

test('changes within a short time are announced together, each once', () => {
  announcer.changed('lists', 'tools')
  announcer.changed('lists', 'tools')
  announcer.changed('uris', 'file:///a')
  announcer.session('ended', 's')
  expect(received).toEqual([])
  vi.advanceTimersByTime(1000)
  expect(received).toEqual([{ lists: ['tools'], uris: ['file:///a'], used: [], ended: ['s'] }])
  announcer.session('used', 't')
  vi.advanceTimersByTime(1000)
  expect(received[1]).toEqual({ lists: [], uris: [], used: ['t'], ended: [] })
})

test('when there are too many changes, only the first ones are announced, in one message', () => {
  for (const uri of numbers) announcer.changed('uris', uri)
  vi.advanceTimersByTime(1000)
  expect(received.map(({ uris }) => uris)).toEqual([numbers.slice(0, MAX_ANNOUNCED)])
})

test('pending changes are announced before the instance stops, and only once', () => {
  announcer.session('ended', 's')
  announcer.flush()
  expect(received.map(({ ended }) => ended)).toEqual([['s']])
  announcer.flush()
  vi.advanceTimersByTime(1000)
  expect(received.length).toBe(1)
})

test('announcing many ended sessions drops none of them', () => {
  for (const id of numbers) announcer.session('ended', id)
  vi.advanceTimersByTime(1000)
  expect(received.flatMap(({ ended }) => ended)).toEqual(numbers)
  expect(vi.getTimerCount()).toBe(0)
})
