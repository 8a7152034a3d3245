import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts'
import { beginSession, open, post, postModern, rpc, send } from '../helpers/mcp-requests.ts'
import { isRunning } from '../helpers/processes.ts'

const PROGRAM = fileURLToPath(new URL('../fixtures/programs/session-http-server.mjs', import.meta.url))

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

type Session = Record<string, string>

async function release(name: string, version: string, instances = 2) {
  const config = { scaling: { min_instances: instances, max_instances: instances } }
  return deployProgram(name, [version], { environment: 'production', config })
}

async function deployProgram(
  name: string,
  args: string[],
  request: { environment: string; config?: object },
) {
  const program = {
    type: 'http',
    command: process.execPath,
    args: [PROGRAM, ...args],
    isolation: { sandbox: 'off' },
  }
  const build = await daemon.api('POST', '/v1/build', { body: { name, template: 'custom', program } })
  const body = { mcp_id: build.body.data.mcp_id, ...request }
  const { data } = (await daemon.api('POST', '/v1/deploy', { body })).body
  expect(data.status).toBe('deployed')
  return data as { deployment_id: string; url: string }
}

/** `<version> <calls of this session> <pid> <client capabilities>`, over a new connection that any instance may get. */
async function count(url: string, session: Session): Promise<string[]> {
  const { status, json } = await post(url, rpc('tools/call', { name: 'count' }), session)
  return status === 200 ? json.result.content[0].text.split(' ') : [String(status)]
}

const answerOf = async (url: string, session: Session) => (await count(url, session)).slice(0, 2).join(' ')
const end = (url: string, headers: Session) => send(url, { method: 'DELETE', headers })
const statusOf = async (id: string) => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data
const instancesOf = async (id: string): Promise<{ pid: number }[]> => (await statusOf(id)).instances

test('each request of a session reaches the program that created it, whichever instance gets the connection', async () => {
  const { url } = await release('routed', 'one', 3)
  // Not a multiple of the instances. Connections go round-robin and would match their sessions by chance.
  const sessions = await Promise.all(Array.from({ length: 10 }, () => beginSession(url)))
  const first = await Promise.all(sessions.map(session => count(url, session)))
  expect(new Set(first.map(([, , pid]) => pid)).size).toBe(3)
  for (const expected of ['2', '3', '4'])
    for (const [at, session] of sessions.entries())
      expect((await count(url, session)).slice(0, 3)).toEqual(['one', expected, first[at]![2]])
  expect((await end(url, sessions[0]!)).status).toBe(200)
  for (let tries = 0; tries < 3; tries++) expect(await count(url, sessions[0]!)).toEqual(['404'])
})

test('a release keeps sessions and their streams in the old release until the last one ends', async () => {
  const { url, deployment_id: old } = await release('staying', 'one')
  const sessions = await Promise.all([1, 2, 3].map(() => beginSession(url)))
  const stream = await open(url, { headers: sessions[0]! })
  await once(stream, 'data')
  let isOpen = true
  stream.once('close', () => (isOpen = false)).on('error', () => {})
  for (const session of sessions) expect(await answerOf(url, session)).toBe('one 1')
  await release('staying', 'two')
  for (const session of sessions) expect(await answerOf(url, session)).toBe('one 2')
  expect(await answerOf(url, await beginSession(url))).toBe('two 1')
  await release('staying', 'three')
  for (const session of sessions) expect(await answerOf(url, session)).toBe('one 3')
  expect(isOpen).toBe(true)
  stream.destroy()
  for (const session of sessions) expect((await end(url, session)).status).toBe(200)
  await vi.waitFor(async () => expect(await instancesOf(old)).toEqual([]))
})

test('killing a program ends only its sessions', async () => {
  const { url } = await release('killed', 'one')
  const sessions = await Promise.all([1, 2, 3, 4].map(() => beginSession(url)))
  const pids = await Promise.all(sessions.map(async session => (await count(url, session))[2]!))
  const pid = Number(pids[0])
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false))
  // Returns 502 until the instance notices that its program exited.
  await expect.poll(() => answerOf(url, sessions[0]!)).toBe('404')
  for (const [at, session] of sessions.entries())
    expect(await answerOf(url, session)).toBe(pids[at] === pids[0] ? '404' : 'one 2')
})

test('an unknown session id is passed to the program unchanged', async () => {
  const { url } = await release('unknown', 'one', 1)
  const forged = { 'mcp-session-id': 'inst_x.bm8.4abc-0---p.AAAA', 'mcp-protocol-version': '2025-11-25' }
  expect(await count(url, forged)).toEqual(['404'])
  expect(await count(url, { ...forged, 'mcp-session-id': '7d1b6a3e' })).toEqual(['404'])
})

describe('a sleeping program over HTTP', () => {
  const listed = (answer: { json: { result: { tools: { name: string }[] } } }) =>
    answer.json.result.tools[0]!.name

  test('a sleeping program answers the lists of its era, and continues a session that started while it slept', async () => {
    const { url, deployment_id } = await deployProgram('asleep', ['one'], { environment: 'staging' })
    await daemon.restart()
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

  test.each([
    ['does not speak', 1, ['one']],
    ['speaks as well', 0, ['one', 'modern']],
  ])('a list of the era that the program %s wakes %i instances up', async (_what, woken, args) => {
    const name = `era-${args.length}`
    const { url, deployment_id } = await deployProgram(name, args, { environment: 'staging' })
    await daemon.restart()
    const { status, json } = await postModern(url, 'tools/list')
    expect(await instancesOf(deployment_id)).toHaveLength(woken)
    if (woken === 0) expect(listed({ json })).toBe('count')
    else expect(status).toBe(404)
  })

  test('a sleeping program wakes up for any other path', async () => {
    const { url, deployment_id } = await deployProgram('paths', ['one'], { environment: 'staging' })
    await daemon.restart()
    expect((await send(url.replace('/mcp', '/other'))).text).toBe('no such session')
    expect(await instancesOf(deployment_id)).toHaveLength(1)
  })
})
