import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { echoServer } from '../../daemon/http/fixtures.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
beforeAll(async () => {
  home = await startHome()
  writeFileSync(join(home.dir, 'mcp.config.json'), JSON.stringify(echoServer()))
  await home.json(['build', home.dir])
})
afterAll(() => home.remove())

test('mcp chats lists, shows, counts and removes chats', async () => {
  const { chat_id } = await home.json<{ chat_id: string }>(['test', '--server', 'echo', 'call say with hi'])
  expect(await home.json(['chats', 'list', 'echo'])).toMatchObject([{ chatId: chat_id, name: 'echo' }])
  expect((await home.mcp(['chats', 'list', 'echo'])).stdout).toContain('call say with hi')
  expect(await home.json(['chats', 'list', 'other'])).toEqual([])
  const messages = await home.json<{ role: string }[]>(['chats', 'show', chat_id])
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect((await home.mcp(['chats', 'show', chat_id])).stdout).toContain('user: call say with hi')
  expect(await home.json(['chats', 'count', chat_id])).toMatchObject({ chatId: chat_id, messageCount: 4 })
  expect((await home.mcp(['chats', 'remove', chat_id])).stderr).toContain('--yes')
  expect(await home.json(['chats', 'remove', chat_id, '--yes'])).toEqual({ removed: chat_id })
  const gone = await home.mcp(['chats', 'count', chat_id])
  expect([gone.code, gone.stderr]).toEqual([4, expect.stringContaining('mcp chats list')])
})

test('status --health shows the checks of a deployment', async () => {
  await home.json(['deploy', 'echo', '--env', 'production'])
  expect(await home.json(['status', 'echo', '--health'])).toMatchObject({ status: 'healthy' })
  const { code, stdout } = await home.mcp(['status', 'echo', '--health'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/is healthy\n[\s\S]* {2}pass {2}\w+: /)])
  const all = await home.mcp(['status', '--health'])
  expect([all.code, all.stderr]).toEqual([2, expect.stringContaining('--health requires a deployment')])
})

test('/exit ends a chat while standard input is open', async () => {
  const child = spawn(process.execPath, [MCP_BIN, 'chat', 'echo'], { env: home.env })
  const closed = once(child, 'close')
  child.stdin.write('/exit\n')
  expect(await closed).toEqual([0, null])
})

test('Ctrl-C at the prompt of a chat exits with 130', async () => {
  const command = `'${process.execPath}' '${MCP_BIN}' chat echo`
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...home.env, CI: '' } })
  const closed = once(child, 'close')
  for await (const text of child.stdout.setEncoding('utf8'))
    if (text.includes('> ')) child.stdin.write('\x03')
  expect(await closed).toEqual([130, null])
})
