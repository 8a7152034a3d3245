import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SiblingNews } from '../../src/instance/peers/sibling-news.ts'
import { type Announcement, MAX_ANNOUNCED } from '../../src/shared/instance-protocol.ts'

const told: Announcement[] = []
let news: SiblingNews
beforeEach(() => {
  vi.useFakeTimers()
  told.length = 0
  news = new SiblingNews(announcement => told.push(announcement))
})
afterEach(() => void vi.useRealTimers())

const numbers = Array.from({ length: MAX_ANNOUNCED + 1 }, (_, number) => String(number))

test('what comes within a moment is told at once, and nothing twice', () => {
  news.changed('lists', 'tools')
  news.changed('lists', 'tools')
  news.changed('uris', 'file:///a')
  news.session('ended', 's')
  expect(told).toEqual([])
  vi.advanceTimersByTime(1000)
  expect(told).toEqual([{ lists: ['tools'], uris: ['file:///a'], used: [], ended: ['s'] }])
  news.session('used', 't')
  vi.advanceTimersByTime(1000)
  expect(told[1]).toEqual({ lists: [], uris: [], used: ['t'], ended: [] })
})

test('code that announces in a loop makes one message, with the first of what it names', () => {
  for (const uri of numbers) news.changed('uris', uri)
  vi.advanceTimersByTime(1000)
  expect(told.map(({ uris }) => uris)).toEqual([numbers.slice(0, MAX_ANNOUNCED)])
})

test('what waits is told at the end, and then no more', () => {
  news.session('ended', 's')
  news.flush()
  expect(told.map(({ ended }) => ended)).toEqual([['s']])
  news.flush()
  vi.advanceTimersByTime(1000)
  expect(told.length).toBe(1)
})

test('of sessions none is dropped', () => {
  for (const id of numbers) news.session('ended', id)
  vi.advanceTimersByTime(1000)
  expect(told.flatMap(({ ended }) => ended)).toEqual(numbers)
  expect(vi.getTimerCount()).toBe(0)
})
