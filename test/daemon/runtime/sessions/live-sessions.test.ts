import { expect, test } from 'vitest'
import { LiveSessions, type SessionHolder } from '../../../../src/daemon/runtime/sessions/live-sessions.ts'
import {
  compareSessions,
  REPORT_LIMITS,
  type SessionQuery,
  type SessionReport,
} from '../../../../src/shared/instances/session-reports.ts'

const report = (id: string, startedAt: number, changes: Partial<SessionReport> = {}): SessionReport => ({
  id,
  kind: 'session',
  label: id,
  protocolVersion: '2025-11-25',
  startedAt,
  lastUsedAt: startedAt,
  requests: 1,
  activeRequests: 0,
  openStreams: 0,
  subscriptions: [],
  ...changes,
})

/** An instance with these sessions. Pages its reports like a real instance. */
const holder = (id: string, sessions: SessionReport[], changes: Partial<SessionHolder> = {}) => ({
  id,
  isServing: true,
  listSessions: async ({ limit, after }: SessionQuery) =>
    sessions
      .toSorted(compareSessions)
      .filter(one => !after || compareSessions(one, after) > 0)
      .slice(0, Math.min(limit, REPORT_LIMITS.sessions)),
  endSessions: async () => sessions.map(one => one.id),
  ...changes,
})

const serve = (...sessionHolders: SessionHolder[]) =>
  new LiveSessions(new Map([['dep_a', { serverName: 'a', sessionHolders }]]), 20)

test('a session on several instances is listed once, with the sum of the figures from all instances', async () => {
  const client = { name: 'test', version: '1' }
  const live = serve(
    holder('inst_a', [report('ses_1', 1000, { client, openStreams: 1, subscriptions: ['tools'] })]),
    holder('inst_b', [report('ses_1', 1000, { lastUsedAt: 2000, requests: 2 })]),
  )
  const { sessions } = await live.list(['dep_a'], { limit: 10 })
  expect(sessions).toEqual([
    {
      ...report('ses_1', 1000, { client, lastUsedAt: 2000, requests: 3, openStreams: 1 }),
      subscriptions: ['tools'],
      servedId: 'dep_a',
      instanceIds: ['inst_a', 'inst_b'],
    },
  ])
})

test('a page can contain more sessions than one report from an instance', async () => {
  const many = Array.from({ length: 250 }, (_, index) => report(`ses_${index}`, index % 3))
  const live = serve(holder('inst_a', many), holder('inst_b', many.slice(100)))
  const { sessions } = await live.list(['dep_a'], { limit: 240 })
  const wanted = many.toSorted(compareSessions).slice(0, 240)
  expect(sessions.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
})

test('an instance that does not answer in time is reported, and one that stopped has no sessions', async () => {
  const never = {
    listSessions: () => new Promise<never>(() => {}),
    endSessions: () => new Promise<never>(() => {}),
  }
  const stopped = { listSessions: () => Promise.reject(new Error('stopped')) }
  const live = serve(
    holder('inst_a', [report('ses_1', 1000)]),
    holder('inst_b', [], never),
    holder('inst_c', [], stopped),
  )
  const { sessions, unanswered } = await live.list(['dep_a'], { limit: 10 })
  expect([sessions.length, unanswered]).toEqual([1, ['inst_b']])
  const { ended, unanswered: late } = await live.end(['dep_a'], { ids: ['ses_1'], startedUntil: 0 })
  expect([[...ended], late]).toEqual([['ses_1'], ['inst_b']])
})

test('a starting instance learns which sessions have ended, without delaying the answer', async () => {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const live = serve(
    holder('inst_a', [], {
      isServing: false,
      endSessions: ended => {
        resolve(ended.ids)
        return new Promise<never>(() => {})
      },
    }),
  )
  expect(await live.end(['dep_a'], { ids: ['ses_1'], startedUntil: 0 })).toEqual({
    ended: new Set(),
    unanswered: [],
  })
  expect(await promise).toEqual(['ses_1'])
})
