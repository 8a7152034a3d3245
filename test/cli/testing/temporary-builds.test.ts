import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildRecord } from '../../../src/shared/contract/builds/builds.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'

/** Builds that `mcp test` and `mcp chat` create from a project. */
let home: TestHome
let silentModel: Server
beforeAll(async () => {
  home = await startHome()
  silentModel = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silentModel, 'listening')
})
afterAll(async () => {
  silentModel.closeAllConnections()
  silentModel.close()
  await home.remove()
})

const PROJECT = join(fileURLToPath(new URL('../../../examples/', import.meta.url)), 'basic')
const builds = async () => (await home.json<{ builds: BuildRecord[] }>(['list'])).builds

test('mcp test leaves no build, whatever its result', async () => {
  await home.json(['test', '--project', PROJECT, 'hello', '--model', 'embedded'])
  const failing = ['test', '--project', PROJECT, 'hello', '--model', 'embedded', '--min-success-rate', '2']
  await home.mcp(failing)
  expect(await builds()).toEqual([])
})

test('mcp test exits with 1 if the build of the project fails', async () => {
  const file = join(home.dir, 'broken.config.json')
  writeFileSync(
    file,
    JSON.stringify({
      name: 'broken',
      template: 'custom',
      program: { type: 'stdio', command: 'no-such-command' },
    }),
  )
  const { code, stderr } = await home.mcp(['test', '--project', file, 'hello', '--model', 'embedded'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('Build of broken failed')])
})

test('mcp chat in a project leaves no build, and /tools lists the tools of the server', async () => {
  const args = ['chat', '--project', PROJECT, '--model', 'embedded']
  const { code, stdout } = await home.mcp(args, { input: 'hello\n/tools\n' })
  expect([code, stdout]).toEqual([0, expect.stringContaining('TOOL')])
  expect(await builds()).toEqual([])
})

test.each(['SIGINT', 'SIGKILL'] as const)(
  'mcp test leaves at most one build after %s, and that build expires',
  async signal => {
    const { port } = silentModel.address() as AddressInfo
    const model = `openai:m@http://127.0.0.1:${port}/v1`
    const args = ['test', '--project', PROJECT, 'hello', '--model', model]
    const child = spawn(process.execPath, [MCP_BIN, ...args], {
      env: { ...home.env, OPENAI_API_KEY: 'none' },
      stdio: 'ignore',
    })
    await once(silentModel, 'request')
    child.kill(signal)
    const [code] = await once(child, 'exit')
    expect(code).toBe(signal === 'SIGINT' ? 130 : null)
    const left = (await builds()).map(({ expires_at }) => typeof expires_at)
    expect(left).toEqual(signal === 'SIGINT' ? [] : ['string'])
  },
)
