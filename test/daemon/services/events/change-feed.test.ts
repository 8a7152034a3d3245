import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClock } from '../../../../src/daemon/services/clock.ts'
import { ChangeFeed } from '../../../../src/daemon/services/events/change-feed.ts'
import { openStore, type Store } from '../../../../src/daemon/store/store.ts'

const MINUTE_MS = 60_000

let store: Store
let feed: ChangeFeed
let errors: unknown[]

beforeEach(() => {
  vi.useFakeTimers()
  store = openStore(':memory:')
  errors = []
  feed = new ChangeFeed({ store, clock: createClock(), onError: error => errors.push(error) })
})

afterEach(() => {
  vi.useRealTimers()
  store.close()
})

const triggers = () =>
  store.database.values("SELECT name FROM temp.sqlite_schema WHERE type = 'trigger'").length

/** Adds a server, and waits for the microtask in which changes are delivered. */
async function addServer(name: string): Promise<void> {
  store.servers.ensure(name, '2026-01-01T00:00:00.000Z')
  await Promise.resolve()
}

test('the change feed collects nothing without readers', async () => {
  await addServer('unseen')
  expect(triggers()).toBe(0)
  const { reader } = feed.open(undefined)
  expect(reader.next()?.data).toEqual({ type: 'reset', reason: 'new' })
  expect(reader.next()).toBeUndefined()
})

test('the change feed keeps changes for five minutes after the last reader disconnects', async () => {
  const { reader, close } = feed.open(undefined)
  const { id } = reader.next()!
  close()
  vi.advanceTimersByTime(4 * MINUTE_MS)
  await addServer('meanwhile')
  const resumed = feed.open(id)
  expect(resumed.reader.next()?.data).toMatchObject({ type: 'server', id: 'meanwhile' })
  vi.advanceTimersByTime(10 * MINUTE_MS)
  expect(triggers()).toBeGreaterThan(0)
  resumed.close()
  vi.advanceTimersByTime(5 * MINUTE_MS)
  expect(triggers()).toBe(0)
  expect(feed.open(id).reader.next()?.data).toEqual({ type: 'reset', reason: 'restarted' })
})

test('an instance that outlives its deployment is reported without the environment', () => {
  const { reader } = feed.open(undefined)
  reader.next()
  feed.publishInstance({ id: 'dep_gone', serverName: 'weather' }, { id: 'inst_1', state: 'stopped' })
  const { timestamp: _, ...change } = reader.next()!.data as { timestamp: string }
  expect(change).toEqual({
    type: 'instance',
    action: 'removed',
    id: 'inst_1',
    server: 'weather',
    deploymentId: 'dep_gone',
    status: 'stopped',
  })
})

test('a closed change feed does not use the database', () => {
  const { close } = feed.open(undefined)
  feed.close()
  close()
  expect(vi.getTimerCount()).toBe(0)
  expect(errors).toEqual([])
})
