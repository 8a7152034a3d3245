import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../../src/daemon/store/store.ts'

const NOW_MS = Date.parse('2026-01-01T00:00:00.000Z')
const NOW_SECONDS = NOW_MS / 1000

let store: Store

beforeEach(() => {
  store = openStore(':memory:')
})
afterEach(() => store.close())

test('ending more than 1,000 sessions by id keeps the record that all earlier sessions were ended', () => {
  store.endedSessions.add('weather', 'production', { ids: [], startedUntil: NOW_SECONDS }, NOW_MS)
  const ids = Array.from({ length: 1001 }, (_, index) => `ses_${index}`)
  store.endedSessions.add('weather', 'production', { ids, startedUntil: 0 }, NOW_MS + 60_000)
  const ended = store.endedSessions.find('weather', 'production', NOW_MS + 60_000)
  expect(ended?.startedUntil).toBe(NOW_SECONDS)
})
