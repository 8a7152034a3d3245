import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../helpers/mcp.ts'
import { open, rpc } from '../helpers/mcp-requests.ts'
import { descendantsOf } from '../helpers/processes.ts'
import {
  descriptors,
  openSession,
  type ServedProgram,
  type SessionClient,
  serveProgram,
} from '../helpers/programs.ts'

const LIGHT = fileURLToPath(new URL('../fixtures/programs/stdio_server.sh', import.meta.url))
const SESSIONS = 200

let served: ServedProgram | undefined
afterEach(() => served?.close())

interface Life {
  session: SessionClient
  /** Calls that its child counted at the end. */
  calls: number
  fate: 'ends' | 'vanishes' | 'stays'
}

/** A client that talks, checks every answer, and goes one of three ways. */
async function live(url: string, who: number, isShared: boolean): Promise<Life> {
  const session = await openSession(url)
  let calls = 0
  for (let round = 1; round <= 3; round++) {
    const answer = await session.call('echo', { text: `session ${who} round ${round}` })
    const [, count] = answer.split(`session ${who} round ${round} (`)
    expect(count, answer).toBeDefined()
    // Of its own calls alone; from one on again after a pause on a busy machine in which its child was ended as idle.
    const expected = [calls + 1, 1]
    calls = Number.parseInt(count!, 10)
    if (!isShared) expect(expected).toContain(calls)
  }
  const fate = (['ends', 'vanishes', 'stays'] as const)[who % 3]!
  if (fate === 'ends') await session.end()
  if (fate === 'vanishes') await vanish(url, session)
  return { session, calls, fate }
}

/** Cuts the connection while a call is under way, without a word. */
async function vanish(url: string, { headers }: SessionClient): Promise<void> {
  const cut = new AbortController()
  const call = open(url, {
    body: rpc('tools/call', { name: 'never', arguments: {} }),
    headers,
    signal: cut.signal,
  })
  await new Promise(resolve => setTimeout(resolve, 5))
  cut.abort()
  await call.catch(() => {})
}

test('200 sessions with a child each: every answer is its own client’s, and in the end nothing is left', async () => {
  served = await serveProgram({
    command: 'sh',
    args: [LIGHT],
    timeoutMs: 5000,
    isolation: { children: 'session', sandbox: 'off', maxChildren: SESSIONS, idleMs: 5000 },
  })
  const { url, harness } = served
  await (await openSession(url)).end()
  const before = { processes: descendantsOf(harness.pid).length, descriptors: descriptors(harness.pid) }
  const all = await Promise.all(Array.from({ length: SESSIONS }, (_, who) => live(url, who, false)))
  expect(all.filter(({ fate }) => fate === 'vanishes').length).toBeGreaterThan(60)
  expect(Math.max(...all.map(({ calls }) => calls))).toBe(3)
  await eventually(() => descendantsOf(harness.pid).length <= before.processes + 1)
  await eventually(() => descriptors(harness.pid) <= before.descriptors + 8)
  const stays = all.find(({ fate }) => fate === 'stays')!.session
  expect(await stays.call('echo', { text: 'back' })).toBe('back (1)')
}, 60_000)

test('200 sessions of one child: it dies amid them and each goes on', async () => {
  served = await serveProgram({
    command: 'sh',
    args: [LIGHT],
    timeoutMs: 5000,
    isolation: { sandbox: 'off' },
  })
  const { url, harness } = served
  await (await openSession(url)).end()
  const before = descriptors(harness.pid)
  const failures: string[] = []
  const lives = Array.from({ length: SESSIONS }, (_, who) =>
    live(url, who, true).catch(error => void failures.push((error as Error).message)),
  )
  const killer = await openSession(url)
  await killer.call('exit').catch(() => {})
  await Promise.all(lives)
  for (const failure of failures) expect(failure).toContain('before it answered')
  expect(descendantsOf(harness.pid).length).toBe(2)
  expect(await killer.call('echo', { text: 'alive' })).toContain('alive (')
  await eventually(() => descriptors(harness.pid) <= before + 8)
}, 60_000)
