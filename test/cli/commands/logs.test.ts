import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LogLine } from '../../../src/shared/instances/log-line.ts'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { writeLines } from '../../helpers/daemon/log-lines.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

const SEEN = '2026-01-01T00:00:0'

let daemon: TestDaemon
let home: TestHome
let id: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  home = createHome()
  id = (await deploy(daemon, await buildServer(daemon, echoServer('shown')), 'staging')).deployment_id
  await daemon.api('POST', `/v1/deploy/${id}/stop`)
  const call = { level: 'info', stream: 'mcp', method: 'tools/call', outcome: 'ok', ms: 1 } as const
  write('inst_a', { ...call, timestamp: `${SEEN}1.000Z`, message: 'first', tool: 'add', requestId: '7' })
  write('inst_b', { ...call, timestamp: `${SEEN}2.000Z`, message: 'second', tool: 'sub', sessionId: 's1' })
  write('inst_a', { timestamp: `${SEEN}3.000Z`, level: 'error', stream: 'stderr', message: 'third broke' })
})

afterAll(async () => {
  await home.remove()
  await daemon.close()
})

const write = (instance: string, line: LogLine) => writeLines(join(daemon.home.logs, id), instance, line)

/** Messages of the shown lines. */
async function shown(...options: string[]): Promise<string[]> {
  const env = { ...home.env, MCP_API_URL: daemon.url, MCP_API_KEY: daemon.ownerKey }
  const lines = await home.mcp(['logs', id, '--json', ...options], { env })
  return lines.stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).message)
}

test.each([
  [['--level', 'error'], ['third broke']],
  [['--grep', 'BROKE'], ['third broke']],
  [['--tool', 'add'], ['first']],
  [['--session', 's1'], ['second']],
  [['--request-id', '7'], ['first']],
  [
    ['--instance', 'inst_a'],
    ['first', 'third broke'],
  ],
  [['--until', `${SEEN}2Z`], ['first']],
  [
    ['--since', `${SEEN}2Z`, '--until', `${SEEN}4Z`],
    ['second', 'third broke'],
  ],
  [['--until', `${SEEN}4Z`, '--tail', '1'], ['third broke']],
])('logs %j prints %j', async (options, messages) => {
  expect(await shown(...options)).toEqual(messages)
})
