import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SiblingNews } from '../../../src/instance/peers/sibling-news.ts'
import { Sessions } from '../../../src/instance/protocol/sessions.ts'

const KEY = randomBytes(32).toString('base64')
const LIMITS = { maxSessions: 3, idleMs: 60_000, maxAgeMs: 3_600_000 }
const create = (key = KEY) => new Sessions(key, 'inst_a', LIMITS)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('sessions', () => {
  test('are found by ids that nobody can guess and that name their instance', () => {
    const sessions = create()
    const ids = Array.from({ length: 3 }, () => sessions.create('2025-11-25').id)
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^inst_a\.[\w-]{22}\./)
    expect(sessions.find(ids[1]!)!.id).toBe(ids[1])
    expect(sessions.find(`${ids[1]}a`)).toBeUndefined()
    sessions.close()
  })

  test('end when they were idle too long, and are not taken up again', () => {
    const sessions = create()
    const [idle, used] = [sessions.create('2025-06-18'), sessions.create('2025-06-18')]
    vi.advanceTimersByTime(50_000)
    sessions.find(used.id)
    vi.advanceTimersByTime(50_000)
    expect(sessions.find(idle.id)).toBeUndefined()
    expect(sessions.find(used.id)).toBe(used)
    sessions.close()
  })

  test('stay while a request of theirs runs', () => {
    const sessions = create()
    const busy = sessions.create('2025-06-18')
    busy.running.add({ id: 1, cancel: () => {} })
    vi.advanceTimersByTime(200_000)
    expect(sessions.find(busy.id)).toBe(busy)
    sessions.close()
  })

  test('leave no timer behind when none is open', () => {
    const sessions = create()
    sessions.end(sessions.create('2025-11-25').id)
    vi.advanceTimersByTime(100_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('above the cap make the one that was idle longest go, which may come back', () => {
    const sessions = create()
    const [first, second] = [sessions.create('2025-11-25'), sessions.create('2025-11-25')]
    vi.advanceTimersByTime(10)
    sessions.find(first.id)
    vi.advanceTimersByTime(10)
    sessions.create('2025-11-25')
    sessions.create('2025-11-25')
    expect(sessions.count).toBe(3)
    expect(sessions.find(first.id)).toBe(first)
    expect(sessions.find(second.id)).not.toBe(second)
    sessions.close()
  })

  test('of another instance are taken over with their revision, until they are too old', () => {
    const [one, two, stranger] = [create(), create(), create(randomBytes(32).toString('base64'))]
    const { id } = one.create('2025-03-26')
    expect(two.find(id)).toMatchObject({ id, revision: '2025-03-26' })
    expect(stranger.find(id)).toBeUndefined()
    vi.advanceTimersByTime(LIMITS.maxAgeMs + 2000)
    expect(create().find(id)).toBeUndefined()
    for (const sessions of [one, two]) sessions.close()
  })

  describe('of which another instance serves requests as well', () => {
    test('go on here while they are used there alone, be it by a stream', () => {
      const [one, two] = siblings()
      const [called, streamed] = [one.create('2025-11-25'), one.create('2025-11-25')]
      two.find(streamed.id)!.running.add({ id: 1, cancel: () => {} })
      for (let seconds = 0; seconds < 300; seconds += 10) {
        two.find(called.id)
        vi.advanceTimersByTime(10_000)
      }
      for (const session of [called, streamed]) expect(one.find(session.id)).toBe(session)
      for (const sessions of [one, two]) sessions.close()
    })

    test('end at both when nobody used them at either', () => {
      const [one, two] = siblings()
      const { id } = one.create('2025-11-25')
      two.find(id)
      vi.advanceTimersByTime(2 * LIMITS.idleMs + 1000)
      for (const sessions of [one, two]) expect(sessions.find(id)).toBeUndefined()
      expect(vi.getTimerCount()).toBe(0)
    })

    test('end at the one that is left when nobody used them there', () => {
      const [one, two] = siblings()
      const { id } = one.create('2025-11-25')
      one.close()
      two.find(id)
      vi.advanceTimersByTime(2 * LIMITS.idleMs + 1000)
      expect(two.find(id)).toBeUndefined()
    })

    test('are over at both once their client has ended them', () => {
      const [one, two] = siblings()
      const { id } = one.create('2025-11-25')
      two.end(two.find(id)!.id)
      vi.advanceTimersByTime(50)
      for (const sessions of [one, two]) expect(sessions.find(id)).toBeUndefined()
      expect(one.count).toBe(0)
    })

    test('are not taken over once they have ended', () => {
      const [one, two] = siblings()
      const { id } = one.create('2025-11-25')
      one.end(id)
      vi.advanceTimersByTime(50)
      expect(two.find(id)).toBeUndefined()
    })
  })
})

function siblings(): [Sessions, Sessions] {
  const [one, two] = [create(), create()]
  one.news = new SiblingNews(said => two.hear(said))
  two.news = new SiblingNews(said => one.hear(said))
  for (const sessions of [one, two]) sessions.areShared = true
  return [one, two]
}
