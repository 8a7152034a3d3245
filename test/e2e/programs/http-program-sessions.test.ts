import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildServer, deploy } from '../../daemon/http/fixtures.ts'
import { beginSession, open, post, postModern, rpc, send } from '../../helpers/clients/mcp-requests.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { isRunning } from '../../helpers/processes.ts'

const PROGRAM = fileURLToPath(new URL('../../fixtures/programs/session-http-server.mjs', import.meta.url))

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

type Session = Record<string, string>

async function release(name: string, version: string, instances: number) {
  const scaling = { min_instances: instances, max_instances: instances }
  return deploy(daemon, await build(name, version), 'production', { scaling })
}

function build(name: string, ...args: string[]): Promise<string> {
  const program = {
    type: 'http',
    command: process.execPath,
    args: [PROGRAM, ...args],
    isolation: { sandbox: 'off' },
  }
  return buildServer(daemon, { name, template: 'custom', program })
}

/** Calls over a new connection. Returns version, calls in this session, pid and client capabilities, or an error's status. */
async function count(url: string, session: Session): Promise<string[]> {
  const { status, json } = await post(url, rpc('tools/call', { name: 'count' }), session)
  return status === 200 ? json.result.content[0].text.split(' ') : [String(status)]
}

const answerOf = async (url: string, session: Session) => (await count(url, session)).slice(0, 2).join(' ')
const end = (url: string, headers: Session) => send(url, { method: 'DELETE', headers })
const statusOf = async (id: string) => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data
const instancesOf = async (id: string): Promise<{ pid: number }[]> => (await statusOf(id)).instances

// First, because restarting the daemon also restarts all other deployments.
describe('a sleeping program over HTTP', () => {
  type Server = Awaited<ReturnType<typeof deploy>>
  let sessions: Server
  let unknownEra: Server
  let knownEra: Server
  beforeAll(async () => {
    const [legacy, modern] = await Promise.all([build('asleep', 'one'), build('modern', 'one', 'modern')])
    ;[sessions, unknownEra, knownEra] = await Promise.all([
      deploy(daemon, legacy, 'staging'),
      deploy(daemon, legacy, 'development'),
      deploy(daemon, modern, 'staging'),
    ])
    await daemon.restart()
  })

  const listed = (answer: { json: { result: { tools: { name: string }[] } } }) =>
    answer.json.result.tools[0]!.name

  test('a sleeping program answers list requests of its era, and continues a session that started while it slept', async () => {
    const { url, deployment_id } = sessions
    const session = await beginSession(url, '2025-06-18', { sampling: {} })
    expect(listed(await post(url, rpc('tools/list'), session))).toBe('count')
    expect((await post(url, rpc('ping'), session)).json.result).toEqual({})
    expect(await instancesOf(deployment_id)).toEqual([])
    const [version, calls, , capabilities] = await count(url, session)
    expect([version, calls, capabilities]).toEqual(['one', '1', 'sampling'])
    expect(await answerOf(url, session)).toBe('one 2')
    expect((await end(url, session)).status).toBe(200)
    expect(await answerOf(url, session)).toBe('404')
  })

  test('a list request in an era that a sleeping program does not support wakes it up', async () => {
    expect((await postModern(unknownEra.url, 'tools/list')).status).toBe(404)
    expect(await instancesOf(unknownEra.deployment_id)).toHaveLength(1)
  })

  test('a list request in the second era that a sleeping program supports does not wake it up', async () => {
    expect(listed(await postModern(knownEra.url, 'tools/list'))).toBe('count')
    expect(await instancesOf(knownEra.deployment_id)).toEqual([])
  })

  test('a request to a path other than /mcp wakes up a sleeping program', async () => {
    expect(await instancesOf(knownEra.deployment_id)).toEqual([])
    expect((await send(knownEra.url.replace('/mcp', '/other'))).text).toBe('no such session')
    expect(await instancesOf(knownEra.deployment_id)).toHaveLength(1)
  })
})

describe('a program with three instances', () => {
  let url: string
  beforeAll(async () => {
    url = (await release('several', 'one', 3)).url
  })

  test('each request of a session reaches the program that created it, whichever instance gets the connection', async () => {
    // Not a multiple of the number of instances, or round-robin connections would match their sessions by chance.
    const sessions = await Promise.all(Array.from({ length: 10 }, () => beginSession(url)))
    const first = await Promise.all(sessions.map(session => count(url, session)))
    expect(new Set(first.map(([, , pid]) => pid)).size).toBe(3)
    for (const expected of ['2', '3', '4'])
      for (const [at, session] of sessions.entries())
        expect((await count(url, session)).slice(0, 3)).toEqual(['one', expected, first[at]![2]])
    expect((await end(url, sessions[0]!)).status).toBe(200)
    for (let tries = 0; tries < 3; tries++) expect(await count(url, sessions[0]!)).toEqual(['404'])
  })

  test('an unknown session id is passed to the program unchanged', async () => {
    const forged = { 'mcp-session-id': 'inst_x.bm8.4abc-0---p.AAAA', 'mcp-protocol-version': '2025-11-25' }
    expect(await count(url, forged)).toEqual(['404'])
    expect(await count(url, { ...forged, 'mcp-session-id': '7d1b6a3e' })).toEqual(['404'])
  })

  test('ending a session through the API ends it in the program, closes its streams and answers its requests with 404', async () => {
    const [session, other] = await twoOfOneProgram()
    const stream = await open(url, { headers: session })
    await once(stream, 'data')
    const closed = new Promise(resolve => stream.on('error', () => {}).once('close', resolve))
    const sessionsOf = async () =>
      (await post(url, rpc('tools/call', { name: 'sessions' }), other)).json.result.content[0].text
    const before = Number(await sessionsOf())
    const { items } = (await daemon.api('GET', '/api/servers/several/sessions')).body
    const listed = items.find((one: { openStreams: number }) => one.openStreams === 1)
    expect(listed).toMatchObject({ kind: 'session', client: null, requests: 1 })
    const answer = await daemon.api('DELETE', `/api/servers/several/sessions/${listed.id}`)
    expect(answer.body).toEqual({ ended: 1, unanswered: [] })
    await closed
    for (let tries = 0; tries < 3; tries++) expect(await count(url, session)).toEqual(['404'])
    await expect.poll(sessionsOf).toBe(String(before - 1))
    expect(await answerOf(url, other)).toBe('one 2')
  })

  /** Begins sessions until two of them are in the same program. Each has made one call. */
  async function twoOfOneProgram(): Promise<[Session, Session]> {
    const seen = new Map<string, Session>()
    for (;;) {
      const session = await beginSession(url)
      const pid = (await count(url, session))[2]!
      const other = seen.get(pid)
      if (other) return [session, other]
      seen.set(pid, session)
    }
  }

  test('killing a program ends only its sessions', async () => {
    const sessions = await Promise.all([1, 2, 3, 4].map(() => beginSession(url)))
    const pids = await Promise.all(sessions.map(async session => (await count(url, session))[2]!))
    const pid = Number(pids[0])
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isRunning(pid)).toBe(false)
    // Requests get 502 until the instance notices that its program exited.
    await expect.poll(() => answerOf(url, sessions[0]!)).toBe('404')
    for (const [at, session] of sessions.entries())
      expect(await answerOf(url, session)).toBe(pids[at] === pids[0] ? '404' : 'one 2')
  })
})

test('sessions and their streams stay with the old release until the last session ends', async () => {
  const { url, deployment_id: old } = await release('staying', 'one', 2)
  const sessions = await Promise.all([1, 2, 3].map(() => beginSession(url)))
  const stream = await open(url, { headers: sessions[0]! })
  await once(stream, 'data')
  let isOpen = true
  stream.once('close', () => (isOpen = false)).on('error', () => {})
  for (const session of sessions) expect(await answerOf(url, session)).toBe('one 1')
  await release('staying', 'two', 1)
  for (const session of sessions) expect(await answerOf(url, session)).toBe('one 2')
  expect(await answerOf(url, await beginSession(url))).toBe('two 1')
  await release('staying', 'three', 1)
  for (const session of sessions) expect(await answerOf(url, session)).toBe('one 3')
  expect(isOpen).toBe(true)
  stream.destroy()
  for (const session of sessions) expect((await end(url, session)).status).toBe(200)
  await expect.poll(() => instancesOf(old)).toEqual([])
})
