import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildRecord } from '../../../src/shared/contract/builds/builds.ts'
import { createHome, eventually, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
beforeAll(() => {
  home = createHome()
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

test.each([false, true])(
  'Ctrl-C during a call exits with 130 and prints nothing (repeated: %s)',
  async repeats => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`
    const ended = interrupt(['call', url, 'any'], () => once(silent, 'request'), { repeats })
    expect(await ended).toEqual([130, '', ''])
    silent.closeAllConnections()
    silent.close()
  },
)

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
