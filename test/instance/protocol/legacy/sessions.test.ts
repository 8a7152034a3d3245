import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PeerAnnouncer } from '../../../../src/instance/peers/peer-announcer.ts'
import { Sessions } from '../../../../src/instance/protocol/legacy/sessions.ts'

const KEY = randomBytes(32).toString('base64')
const LIMITS = { maxSessions: 3, idleMs: 60_000, maxAgeMs: 3_600_000 }
const create = (key = KEY) => new Sessions(key, 'inst_a', LIMITS)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('legacy sessions', () => {
  test('legacy sessions are found by unguessable ids that name their instance', () => {
    const sessions = create()
    const ids = Array.from({ length: 3 }, () => sessions.create('2025-11-25').id)
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^inst_a\.[\w-]{22}\./)
    expect(sessions.find(ids[1]!)!.id).toBe(ids[1])
    expect(sessions.find(`${ids[1]}a`)).toBeUndefined()
    sessions.close()
  })

  test('legacy sessions end after the idle time and are not taken over again', () => {
    const sessions = create()
    const [idle, used] = [sessions.create('2025-06-18'), sessions.create('2025-06-18')]
    vi.advanceTimersByTime(50_000)
    sessions.find(used.id)
    vi.advanceTimersByTime(50_000)
    expect(sessions.find(idle.id)).toBeUndefined()
    expect(sessions.find(used.id)).toBe(used)
    sessions.close()
  })

  test('legacy sessions stay open while one of their requests is running', () => {
    const sessions = create()
    const busy = sessions.create('2025-06-18')
    busy.running.add({ id: 1, cancel: () => {} })
    vi.advanceTimersByTime(200_000)
    expect(sessions.find(busy.id)).toBe(busy)
    sessions.close()
  })

  test('legacy sessions leave no timer behind when none is open', () => {
    const sessions = create()
    sessions.end(sessions.create('2025-11-25').id)
    vi.advanceTimersByTime(100_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('above the limit, the legacy session that has been idle longest is removed and can return', () => {
    const sessions = create()
    const [first, second] = [sessions.create('2025-11-25'), sessions.create('2025-11-25')]
    vi.advanceTimersByTime(10)
    sessions.find(first.id)
    vi.advanceTimersByTime(10)
    sessions.create('2025-11-25')
    sessions.create('2025-11-25')
    expect(sessions.count).toBe(3)
    expect(sessions.find(first.id)).toBe(first)
    expect(sessions.has(second.id)).toBe(false)
    expect(sessions.find(second.id)).toMatchObject({ id: second.id, revision: '2025-11-25' })
    sessions.close()
  })

  test('legacy sessions of another instance are taken over with their revision, until they are too old', () => {
    const [one, two, stranger] = [create(), create(), create(randomBytes(32).toString('base64'))]
    const { id } = one.create('2025-03-26')
    expect(two.find(id)).toMatchObject({ id, revision: '2025-03-26' })
    expect(stranger.find(id)).toBeUndefined()
    vi.advanceTimersByTime(LIMITS.maxAgeMs + 2000)
    expect(create().find(id)).toBeUndefined()
    for (const sessions of [one, two]) sessions.close()
  })

  describe('when shared with another instance', () => {
    test('a shared session stays open on both instances while it is used on one of them, even if only by a stream', () => {
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

    test('shared sessions end on both instances after the idle time', () => {
      const [one, two] = siblings()
      const { id } = one.create('2025-11-25')
      two.find(id)
      vi.advanceTimersByTime(2 * LIMITS.idleMs + 1000)
      for (const sessions of [one, two]) expect(sessions.find(id)).toBeUndefined()
      expect(vi.getTimerCount()).toBe(0)
    })

    test('after one instance has closed, shared sessions end on the other after the idle time', () => {
      const [one, two] = siblings()
      const { id } = one.create('2025-11-25')
      one.close()
      two.find(id)
      vi.advanceTimersByTime(2 * LIMITS.idleMs + 1000)
      expect(two.find(id)).toBeUndefined()
    })

    test('shared sessions end on both instances when the client ends them', () => {
      const [one, two] = siblings()
      const { id } = one.create('2025-11-25')
      two.end(two.find(id)!.id)
      vi.advanceTimersByTime(50)
      for (const sessions of [one, two]) expect(sessions.find(id)).toBeUndefined()
      expect(one.count).toBe(0)
    })

    test('shared sessions are not taken over after they have ended', () => {
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
  one.announcer = new PeerAnnouncer(announcement => two.applyAnnouncement(announcement))
  two.announcer = new PeerAnnouncer(announcement => one.applyAnnouncement(announcement))
  for (const sessions of [one, two]) sessions.areShared = true
  return [one, two]
}
