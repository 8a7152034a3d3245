import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LogLine } from '../../../src/shared/instances/log-line.ts'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { writeLines } from '../../helpers/daemon/log-lines.ts'
import { createHome, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'
import { writeServer } from './write-server.ts'

const SEEN = '2026-01-01T00:00:0'

let daemon: TestDaemon
let home: TestHome
let id: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  home = createHome()
  Object.assign(home.env, { MCP_API_URL: daemon.url, MCP_API_KEY: daemon.ownerKey })
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
  const lines = await home.mcp(['logs', id, '--json', ...options])
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
])('mcp logs %j prints %j', async (options, messages) => {
  expect(await shown(...options)).toEqual(messages)
})

test('mcp logs prints text, or one JSON object per line', async () => {
  await home.json(['up', writeServer(home, 'logged')])
  const text = () => home.mcp(['logs', 'logged', '--level', 'info', '--grep', 'tools/call'])
  // Lines are written in batches, shortly after the call.
  await expect
    .poll(async () => (await text()).stdout)
    .toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} info {2}mcp {4}tools\/call hello \{"name":"you"\} ok \d+ ms\n$/,
    )
  const json = await home.mcp(['logs', 'logged', '--grep', 'tools/call', '--tail', '1', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    stream: 'mcp',
    level: 'info',
    method: 'tools/call',
    tool: 'hello',
  })
  const none = await home.mcp(['logs', 'logged', '--until', '1d'])
  expect(none).toEqual({ code: 0, stdout: '', stderr: 'No log lines.\n' })
})

test('logs -f shows new lines until Ctrl-C, which exits with 130', async () => {
  const { url } = await home.json<{ url: string }>(['up', writeServer(home, 'followed')])
  const args = [MCP_BIN, 'logs', 'followed', '-f', '--tail', '1', '--json', '--grep', 'tools/call']
  const child = spawn(process.execPath, args, { env: home.env, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  const nextLine = once(child.stdout, 'data')
  await home.json(['call', url, 'hello'])
  expect(JSON.parse(String((await nextLine)[0]).split('\n')[0]!).message).toContain('tools/call')
  child.kill('SIGINT')
  expect((await once(child, 'exit'))[0]).toBe(130)
})

test('commands exit without a message when their output pipe is closed', async () => {
  await home.json(['up', writeServer(home, 'piped')])
  const child = spawn(
    'sh',
    [
      '-c',
      `"$0" "$1" logs piped | true; "$0" "$1" list | head -n 1; "$0" "$1" deploy --help | true`,
      process.execPath,
      MCP_BIN,
    ],
    {
      env: home.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr.on('data', text => {
    stderr += text
  })
  await once(child, 'close')
  expect(stderr).toBe('')
})
