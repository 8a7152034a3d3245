import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { open, rpc } from '../../helpers/clients/mcp-requests.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import {
  descriptors,
  openSession,
  type ServedProgram,
  type SessionClient,
  serveProgram,
} from '../../helpers/instance/programs.ts'
import { descendantsOf } from '../../helpers/processes.ts'

const SHELL_SERVER = fileURLToPath(new URL('../../fixtures/programs/stdio_server.sh', import.meta.url))
const SESSIONS = 90

let served: ServedProgram | undefined
afterEach(() => served?.close())

interface ClientRun {
  session: SessionClient
  /** The last count that the session's child returned. */
  calls: number
  ending: 'ends' | 'disconnects' | 'stays'
}

/** Runs a client that makes three calls, checks every answer, and then ends its session, disconnects or stays. */
async function runClient(url: string, client: number, isShared: boolean): Promise<ClientRun> {
  const session = await openSession(url)
  let calls = 0
  for (let round = 1; round <= 3; round++) {
    const answer = await session.call('echo', { text: `session ${client} round ${round}` })
    const [, count] = answer.split(`session ${client} round ${round} (`)
    expect(count, answer).toBeDefined()
    // The child of a session counts only its calls. On a busy machine, an idle child may have been stopped, so the count
    // restarts.
    const expected = [calls + 1, 1]
    calls = Number.parseInt(count!, 10)
    if (!isShared) expect(expected).toContain(calls)
  }
  const ending = (['ends', 'disconnects', 'stays'] as const)[client % 3]!
  if (ending === 'ends') await session.end()
  if (ending === 'disconnects') await disconnect(url, session, isShared ? 'never' : 'held')
  return { session, calls, ending }
}

/** Cuts the connection during a call, without ending the session. */
async function disconnect(url: string, { headers }: SessionClient, tool: string): Promise<void> {
  const cut = new AbortController()
  const call = open(url, {
    body: rpc('tools/call', { name: tool, arguments: {} }),
    headers,
    signal: cut.signal,
  })
  await new Promise(resolve => setTimeout(resolve, 5))
  cut.abort()
  await call.catch(() => {})
}

/** Creates a pipe on which any number of programs wait until they are released. */
function createGate() {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-gate-'))
  const path = join(folder, 'gate')
  execFileSync('mkfifo', [path])
  const descriptor = openSync(path, 'r+')
  return {
    path,
    release: (count: number) => writeSync(descriptor, '\n'.repeat(count)),
    [Symbol.dispose]() {
      closeSync(descriptor)
      rmSync(folder, { recursive: true })
    },
  }
}

test('90 sessions with one child each get only their own answers and leave nothing behind', async () => {
  using gate = createGate()
  served = await serveProgram({
    command: 'sh',
    args: [SHELL_SERVER, gate.path],
    isolation: { children: 'session', sandbox: 'off', maxChildren: SESSIONS, idleMs: 3000 },
  })
  const { url, harness } = served
  await (await openSession(url)).end()
  const before = { processes: descendantsOf(harness.pid).length, descriptors: descriptors(harness.pid) }
  // Twenty at a time. If all ran at once on a busy machine, every child would be idle too long between its calls.
  const all: ClientRun[] = []
  const take = async () => {
    for (let client = next++; client < SESSIONS; client = next++)
      all.push(await runClient(url, client, false))
  }
  let next = 0
  await Promise.all(Array.from({ length: 20 }, take))
  expect(all.filter(({ ending }) => ending === 'disconnects').length).toBeGreaterThanOrEqual(SESSIONS / 3)
  expect(Math.max(...all.map(({ calls }) => calls))).toBe(3)
  gate.release(SESSIONS)
  await eventually(() => descendantsOf(harness.pid).length <= before.processes + 1)
  await eventually(() => descriptors(harness.pid) <= before.descriptors + 8)
  const stays = all.find(({ ending }) => ending === 'stays')!.session
  expect(await stays.call('echo', { text: 'back' })).toBe('back (1)')
}, 60_000)

test('90 sessions that share one child continue after the child exits', async () => {
  served = await serveProgram({ command: 'sh', args: [SHELL_SERVER], isolation: { sandbox: 'off' } })
  const { url, harness } = served
  await (await openSession(url)).end()
  const before = descriptors(harness.pid)
  const failures: string[] = []
  const runs = Array.from({ length: SESSIONS }, (_, client) =>
    runClient(url, client, true).catch(error => void failures.push((error as Error).message)),
  )
  const killer = await openSession(url)
  await killer.call('exit').catch(() => {})
  await Promise.all(runs)
  for (const failure of failures) expect(failure).toContain('before it answered')
  expect(descendantsOf(harness.pid).length).toBe(2)
  expect(await killer.call('echo', { text: 'alive' })).toContain('alive (')
  // Stops the shared child, which ends the calls of clients that disconnected.
  await killer.call('exit').catch(() => {})
  await eventually(() => descriptors(harness.pid) <= before + 8)
}, 60_000)
