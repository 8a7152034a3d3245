import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SessionRecord } from '../../../src/shared/contract/servers/sessions.ts'
import { beginSession, post, rpc } from '../../helpers/clients/mcp-requests.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'
import { writeServer } from './write-server.ts'

let home: TestHome
let url: string

beforeAll(async () => {
  home = await startHome()
  const project = writeServer(home, 'asked')
  url = (await home.json<{ url: string }>(['deploy', project, '--env', 'staging'])).url
})

afterAll(() => home.remove())

const list = async () => (await home.json<{ items: SessionRecord[] }>(['sessions', 'asked'])).items

test('mcp sessions lists open sessions, and mcp sessions end ends one or all of them', async () => {
  expect((await home.mcp(['sessions', 'asked'])).stdout).toBe('asked has no open sessions.\n')
  const sessions = [await beginSession(url), await beginSession(url), await beginSession(url)]
  const { stdout } = await home.mcp(['sessions', 'asked', '--env', 'staging'])
  const items = await list()
  for (const { id } of items) expect(stdout).toContain(id)
  expect(stdout).toMatch(/ID +CLIENT +ENVIRONMENT +PROTOCOL +AGE +LAST USE +REQUESTS +STREAMS\n/)
  expect(stdout).toMatch(/ test 1 +staging +2025-11-25 /)
  expect((await home.mcp(['sessions', '--quiet'])).stdout).toBe(items.map(({ id }) => `${id}\n`).join(''))

  const prefix = items[0]!.id.slice(0, 16)
  expect((await home.mcp(['sessions', 'end', prefix, '--server', 'asked'])).stdout).toContain(
    'Ended 1 session',
  )
  expect((await list()).map(({ id }) => id)).not.toContain(items[0]!.id)
  const unknown = await home.mcp(['sessions', 'end', items[0]!.id, '--server', 'asked'])
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('There is no session')])

  const all = ['sessions', 'end', '--all', '--server', 'asked']
  expect((await home.mcp(all)).stderr).toContain('--yes')
  expect(await home.json([...all, '--yes'])).toEqual({ ended: 2, unanswered: [] })
  for (const session of sessions) expect((await post(url, rpc('ping'), session)).status).toBe(404)
})

test('sessions end requires either an id or --all', async () => {
  for (const args of [[], ['ses_1234', '--all']])
    expect(await home.mcp(['sessions', 'end', ...args])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('either the id of a session or --all'),
    })
})
