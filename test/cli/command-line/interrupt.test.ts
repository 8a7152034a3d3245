import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildRecord } from '../../../src/shared/contract/builds/builds.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { eventually, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'

const WEATHER = new URL('../../../examples/weather', import.meta.url).pathname

let home: TestHome
beforeAll(async () => {
  home = await startHome()
})
afterAll(() => home.remove())

/** Sends Ctrl-C once `started` resolves. Returns the exit code and everything that was printed. */
async function interrupt(
  args: string[],
  started: () => Promise<unknown>,
  { repeats = false } = {},
): Promise<unknown[]> {
  const child = spawn(process.execPath, [MCP_BIN, ...args], { env: home.env, cwd: home.dir })
  const ended = Promise.all([
    once(child, 'close').then(([code]) => code),
    text(child.stdout),
    text(child.stderr),
  ])
  await started()
  child.kill('SIGINT')
  if (!repeats) return ended
  const timer = setInterval(() => child.kill('SIGINT'), 1)
  return ended.finally(() => clearInterval(timer))
}

/** Accepts requests and never responds. */
let silent: Server
let silentUrl: string
beforeAll(async () => {
  silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  writeFileSync(join(home.dir, 'suite.yaml'), 'cases: [{ message: hello }]')
  const mcpServers = { tools: { command: 'node', args: ['server.mjs'] } }
  writeFileSync(join(home.dir, 'servers.json'), JSON.stringify({ mcpServers }))
})
afterAll(() => {
  silent.closeAllConnections()
  silent.close()
})

/** `HOME`: the home, `API`: a server that never responds, `WEATHER`: a project. */
test.each([
  'up WEATHER',
  'deploy WEATHER',
  'build WEATHER',
  'test --server weather hello',
  'test --server weather --suite HOME/suite.yaml',
  'call API/mcp any',
  'tools API/mcp',
  'chat weather',
  'logs weather -f',
  'status --watch',
  'metrics weather',
  'restart weather',
  'rollback weather',
  'remove weather --yes',
  'import HOME/servers.json --quiet',
  'export weather',
  'projects build weather',
  'login --device',
  'daemon backup',
])('Ctrl-C during mcp %s exits with 130 and prints nothing', async line => {
  const words = line.replace('HOME', home.dir).replace('API', silentUrl).replace('WEATHER', WEATHER)
  const args = [...words.split(' '), '--api-url', silentUrl]
  expect(await interrupt(args, () => once(silent, 'request'))).toEqual([130, '', ''])
})

test('repeated Ctrl-C during a call exits with 130 and prints nothing', async () => {
  const ended = interrupt(['call', `${silentUrl}/mcp`, 'any'], () => once(silent, 'request'), {
    repeats: true,
  })
  expect(await ended).toEqual([130, '', ''])
})

test('Ctrl-C during mcp up stops the build', async () => {
  const program = `${process.execPath} -e setInterval(Date,9999)`
  const builds = (status: string) =>
    home
      .json<{ builds: BuildRecord[] }>(['list', '--all'])
      .then(({ builds }) => builds.filter(one => one.name === 'slow' && one.status === status))
  const args = ['up', '--command', program, '--name', 'slow']
  expect(await interrupt(args, () => eventually(async () => (await builds('building')).length))).toEqual([
    130,
    '',
    '',
  ])
  expect(await eventually(async () => (await builds('failed'))[0])).toMatchObject({
    error: { code: 'INTERRUPTED' },
  })
})

test.each([
  ['--version'],
  ['--help'],
  ['call --help'],
  ['completion bash'],
  ['context list'],
  ['models list --json'],
])('mcp %s exits without a message when its output pipe is closed', async words => {
  const child = spawn(process.execPath, [MCP_BIN, ...words.split(' ')], { env: home.env, cwd: home.dir })
  child.stdout.destroy()
  const ended = Promise.all([once(child, 'close').then(([code]) => code), text(child.stderr)])
  expect(await ended).toEqual([0, ''])
})
