import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { callTool } from '../../helpers/daemon/daemon.ts'
import { createHome, eventually, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'
import { hasTerminals, openTerminal } from '../../helpers/daemon/terminal.ts'
import { sayProgram } from '../../helpers/instance/programs.ts'

let home: TestHome
const running: ChildProcess[] = []
beforeAll(() => {
  home = createHome()
})
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})
afterAll(() => home.remove())

interface DevEvent {
  event: string
  url: string
  mcp_id: string
  tools: string[]
  message: string
  error: { code: string; message: string; details: string }
}

/** Starts `mcp dev --json`. `next` waits for the next event of a type. */
const startDev = (directory: string, ...options: string[]) => start('dev', directory, ...options)

function start(command: string, directory: string, ...options: string[]) {
  const child = spawn(process.execPath, [MCP_BIN, command, directory, '--json', ...options], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return {
    child,
    async next(event: string): Promise<DevEvent> {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`mcp ${command} exited before "${event}"`)
        const parsed = JSON.parse(value)
        if (parsed.event === event) return parsed
      }
    },
    ended: new Promise<number | null>(resolve => child.once('exit', resolve)),
  }
}

const moduleTool = (answer: string) => `import { defineTool } from 'mcp-hosting/server'
export default defineTool({ description: 'Says it', input: { type: 'object' }, handler: () => '${answer}' })`
const say = async (url: string, tool = 'say') => (await callTool(url, tool)).content[0].text

function makeFolder(name: string, files: Record<string, string>): (path: string, content: string) => void {
  const write = (path: string, content: string) => writeFileSync(join(home.dir, name, path), content)
  mkdirSync(join(home.dir, name, 'tools'), { recursive: true })
  for (const [path, content] of Object.entries(files)) write(path, content)
  return write
}

async function buildsOf(name: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${home.apiKey()}` }
  const listed = await fetch(`${home.discovery()!.url}/v1/build?name=${name}`, { headers })
  const { data } = (await listed.json()) as { data: { items: { mcp_id: string }[] } }
  return data.items.map(({ mcp_id }) => mcp_id)
}

test('mcp dev serves a project of modules, reloads it on save at the same URL, and keeps serving it after a broken build', async () => {
  const write = makeFolder('modules', { 'tools/say.ts': moduleTool('one') })
  const dev = startDev(join(home.dir, 'modules'))
  const first = await dev.next('built')
  expect(first.tools).toEqual(['say'])
  expect(await say(first.url)).toBe('one')

  write('tools/say.ts', moduleTool('two'))
  const second = await dev.next('built')
  expect(second.url).toBe(first.url)
  expect(await say(first.url)).toBe('two')

  write('tools/say.ts', 'export default (')
  const { error } = await dev.next('failed')
  expect(error.details).toContain('tools/say.ts:1:')
  expect(await say(first.url)).toBe('two')

  write('tools/say.ts', moduleTool('three'))
  write('tools/more.ts', moduleTool('more'))
  let last = await dev.next('built')
  while (!last.tools.includes('more')) last = await dev.next('built')
  expect(await say(first.url)).toBe('three')
  expect(await say(first.url, 'more')).toBe('more')

  dev.child.kill('SIGINT')
  expect(await dev.ended).toBe(130)
  // Only the last build remains.
  expect(await buildsOf('modules')).toEqual([last.mcp_id])
  expect(await say(first.url)).toBe('three')
})

test('mcp dev reloads a declared project and shows its log', async () => {
  const config = (text: string) => {
    const tool = {
      name: 'say',
      description: 'x',
      inputSchema: { type: 'object' },
      handler: { type: 'template', text },
    }
    return JSON.stringify({ name: 'declared', template: 'basic', tools: [tool] })
  }
  const write = makeFolder('declared', { 'mcp.config.json': config('one') })
  const dev = startDev(join(home.dir, 'declared'))
  const { url } = await dev.next('built')
  expect(await say(url)).toBe('one')
  let line = await dev.next('log')
  while (!line.message.startsWith('tools/call say')) line = await dev.next('log')
  write('mcp.config.json', '{"name": "declared",')
  expect((await dev.next('failed')).error.code).toBe('INVALID_MCP')
  write('mcp.config.json', config('two'))
  await dev.next('built')
  expect(await say(url)).toBe('two')
})

test('mcp dev takes environment variables from the project file and the command line', async () => {
  const tool = {
    name: 'say',
    description: 'x',
    inputSchema: { type: 'object' },
    handler: { type: 'template', text: '{{ env.ONE }} {{ env.TWO }}' },
  }
  const deploy = { development: { env_vars: { ONE: 'file', TWO: 'file' } } }
  const config = { name: 'env', template: 'basic', env: ['ONE', 'TWO'], tools: [tool], deploy }
  makeFolder('env', { 'mcp.config.json': JSON.stringify(config) })
  const { url } = await startDev(join(home.dir, 'env'), '--set', 'TWO=given').next('built')
  expect(await say(url)).toBe('file given')
})

test('mcp build --watch rebuilds on every change and keeps each build', async () => {
  const write = makeFolder('watched', { 'tools/say.ts': moduleTool('one') })
  const watching = start('build', join(home.dir, 'watched'), '--watch')
  const first = await watching.next('built')
  write('tools/say.ts', 'export default (')
  expect((await watching.next('failed')).error.code).toBe('INVALID_MCP')
  write('tools/say.ts', moduleTool('two'))
  const second = await watching.next('built')
  expect(await say(second.url)).toBe('two')
  expect(await buildsOf('watched')).toEqual(expect.arrayContaining([first.mcp_id, second.mcp_id]))
  watching.child.kill('SIGINT')
  expect(await watching.ended).toBe(130)
})

test('mcp build --watch passes the variables from its flags to a program', async () => {
  const server = `
import { createInterface } from 'node:readline'
const tools = [{ name: process.env.TOOL, description: 'x', inputSchema: { type: 'object' } }]
const serverInfo = { name: 'flags', version: '1' }
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  const result = method === 'tools/list' ? { tools } : { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
}`
  const program = { type: 'stdio', command: process.execPath, args: ['server.mjs'] }
  const config = JSON.stringify({ name: 'flags', template: 'custom', program })
  makeFolder('flags', { 'mcp.config.json': config, 'server.mjs': server })
  const watching = start('build', join(home.dir, 'flags'), '--watch', '--set', 'TOOL=given')
  expect((await watching.next('built')).tools).toEqual(['given'])
})

test('mcp dev restarts a program when its code changes', async () => {
  const program = { type: 'stdio', command: process.execPath, args: ['server.mjs'], cwd: '.' }
  const write = makeFolder('program', {
    'server.mjs': sayProgram('one'),
    'mcp.config.json': JSON.stringify({ name: 'program', template: 'custom', program }),
  })
  const dev = startDev(join(home.dir, 'program'))
  const { url } = await dev.next('built')
  expect(await say(url)).toBe('one')
  write('server.mjs', sayProgram('two'))
  await dev.next('built')
  expect(await say(url)).toBe('two')
})

test.runIf(hasTerminals)('mcp dev handles hotkeys and restores the terminal afterwards', async () => {
  makeFolder('keys', { 'tools/say.ts': moduleTool('one') })
  const command = [process.execPath, MCP_BIN, 'dev', join(home.dir, 'keys')].join(' ')
  const terminal = openTerminal(`${command}; stty -a`, home.env)
  running.push(terminal.child)
  const { expects } = terminal
  await expects('q quit', 'l')
  await expects('log level: warn', '?')
  await expects('q quit', 'r')
  await expects(/\d\d:\d\d:\d\d reloaded keys in/, 'c')
  await expects('❯ 1  say', '\r')
  await expects('answer  one', 'o')
  await expects(/console\/sign-in\?code=[\w-]{43}&to=%2Fservers%2Fkeys%2Fplayground/)
  await expects('mcp connect keys --env preview --client claude-code')
  writeFileSync(join(home.dir, 'keys/tools/say.ts'), moduleTool('two'))
  await expects(/reloaded keys in .* \(tools\/say\.ts\)/, 'q')
  await terminal.ended
  expect(terminal.shown).toMatch(/(?<!-)\bicanon\b/)
})

test('a server name refers to the server of mcp dev in the project folder, and to the deployment elsewhere', async () => {
  const write = makeFolder('twice', { 'tools/say.ts': moduleTool('deployed') })
  const directory = join(home.dir, 'twice')
  await home.json(['up', directory])
  write('tools/say.ts', moduleTool('developed'))
  const dev = startDev(directory)
  const { url } = await dev.next('built')
  const run = (args: string[], cwd: string) => home.mcp(args, { cwd })
  const inside = await run(['call', 'twice', 'say'], join(directory, 'tools'))
  expect(inside.stdout).toBe('developed\n')
  expect(inside.stderr).toContain('Using the preview of twice, which mcp dev serves from this folder.')
  expect(await run(['call', 'twice', 'say'], home.dir)).toMatchObject({
    stdout: 'deployed\n',
    stderr: expect.stringContaining(
      'Using the deployment of twice in development. To use the preview that mcp dev serves, add --env preview.',
    ),
  })
  // A suggested command refers to the same server in every folder.
  const { stdout } = await run(['tools', 'twice'], directory)
  const [, suggested] = /Call a tool: {2}mcp (.+)\n/.exec(stdout)!
  expect((await run(suggested!.split(' '), home.dir)).stdout).toBe('developed\n')
  expect((await run(['call', 'twice', 'say', '--env', 'development'], directory)).stdout).toBe('deployed\n')
  const connect = await run(['connect', 'twice', '--client', 'cursor', '--print'], directory)
  expect(connect.stdout).toContain(url)
  expect((await run(['status', 'twice'], directory)).stdout).toContain('twice is served by mcp dev')
  const metrics = await run(['metrics', 'twice'], directory)
  expect(metrics.stdout).toContain('twice in development from')
  expect(metrics.stderr).toContain('This shows the deployments of twice, not mcp dev in this folder.')
  await eventually(async () => (await run(['logs', 'twice'], directory)).stdout.includes('tools/call say'))
  // A killed mcp dev leaves behind the file that marks its folder. Commands ignore such a file.
  dev.child.kill('SIGKILL')
  await dev.ended
  expect((await run(['call', 'twice', 'say'], directory)).stdout).toBe('deployed\n')
})

test('mcp dev reports that the daemon stopped, and continues when it runs again', async () => {
  const write = makeFolder('stopped', { 'tools/say.ts': moduleTool('one') })
  const dev = startDev(join(home.dir, 'stopped'))
  const { url } = await dev.next('built')
  await home.json(['daemon', 'stop'])
  await dev.next('stopped')
  write('tools/say.ts', moduleTool('two'))
  await home.json(['daemon', 'start'])
  await dev.next('started')
  await dev.next('built')
  expect(await say(url)).toBe('two')
})

test('mcp dev in a folder without a project is a usage error', async () => {
  const ended = await home.mcp(['dev', home.dir])
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain('No project file')
})

test('mcp dev lists the variables without a value in development, except those set for this run', async () => {
  const env = ['GIVEN', 'STORED', { name: 'LATER', required: true }, { name: 'USUAL', default: 'x' }]
  const config = JSON.stringify({ name: 'lacking', template: 'custom', env })
  const write = makeFolder('lacking', { 'tools/say.ts': moduleTool('one'), 'mcp.config.json': config })
  const folder = join(home.dir, 'lacking')
  await home.mcp(['env', 'set', 'STORED=1'], { cwd: folder })
  const dev = startDev(folder, '--set', 'GIVEN=1')
  expect(await dev.next('missing')).toMatchObject({
    name: 'lacking',
    variables: [{ name: 'LATER', required: true }],
  })
  write('mcp.config.json', JSON.stringify({ name: 'lacking', template: 'custom', env: [...env, 'MORE'] }))
  const { variables } = (await dev.next('missing')) as unknown as { variables: { name: string }[] }
  expect(variables.map(({ name }) => name)).toEqual(['LATER', 'MORE'])
})
