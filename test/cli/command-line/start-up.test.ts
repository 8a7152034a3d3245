import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'
import { createTool } from '../../helpers/instance/prepared.ts'

/**
 * Most of the start-up time is loading: about a millisecond per file, and up to ten per module of Node. Counting files and
 * modules is more reliable than measuring time (docs/reports/performance.md).
 */
let home: TestHome

beforeAll(async () => {
  home = createHome()
  await home.json(['daemon', 'start'])
})

afterAll(() => home.remove())

const REPORT_LOADED = fileURLToPath(new URL('../../fixtures/cli/report-loaded.mjs', import.meta.url))

const START = ['mcp.js', 'cli.js']
const SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

/** Loaded files of the package, by name without the hash, and loaded built-in modules of Node. */
async function loadedBy(args: string[]): Promise<{ files: string[]; builtins: string[] }> {
  const file = join(home.dir, 'loaded.json')
  const env = { ...home.env, NODE_OPTIONS: `--import=${REPORT_LOADED}`, LOADED: file }
  const { code, stderr } = await home.mcp(args, { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { files, builtins } = JSON.parse(readFileSync(file, 'utf8')) as Record<'files' | 'builtins', string[]>
  return { files: files.map(url => basename(url).replace(/-[A-Z0-9]{8}\.js$/, '.js')), builtins }
}

test('--version loads only the two files that every command needs', async () => {
  const { files } = await loadedBy(['--version'])
  expect(files).toEqual(['mcp.js', 'cli.js'])
})

test('a command with one API call loads few files and only the HTTP modules of Node', async () => {
  const { files, builtins } = await loadedBy(['status', '--json'])
  expect(files.filter(name => name !== 'chunk.js')).toEqual([...START, 'status.js'])
  expect(files.length).toBeLessThanOrEqual(6)
  expect(await additionalBuiltins(builtins)).toEqual(['net', 'http'])
})

test('commands that use a server load few files and no MCP SDK', async () => {
  await home.json(['deploy', writeProject()])
  const commands = [
    ['call', 'echo', 'tool', 'text=hi'],
    ['tools', 'echo'],
    ['read', 'echo', 'echo://all'],
    ['prompt', 'echo', 'greet'],
  ]
  for (const command of commands) {
    const { files, builtins } = await loadedBy(command)
    expect(files.filter(name => name !== 'chunk.js')).toEqual([...START, `${command[0]}.js`])
    expect(files.length).toBeLessThanOrEqual(7)
    expect(await additionalBuiltins(builtins)).toEqual(['net', 'http'])
  }
})

test('deploy of a declared server also loads the project validation', async () => {
  const { files, builtins } = await loadedBy(['deploy', writeProject(), '--json'])
  const JSON_PARSER = 'main.js'
  expect(files.filter(name => name !== 'chunk.js')).toEqual([
    ...START,
    'deploy.js',
    JSON_PARSER,
    'validate-project.js',
    'ajv.js',
  ])
  expect(files.length).toBeLessThanOrEqual(16)
  expect(await additionalBuiltins(builtins)).toEqual(['net', 'http'])
})

test('deploy sends three requests', async () => {
  const { stderr } = await home.mcp(['deploy', writeProject(), '--json', '--debug'])
  expect(
    [...stderr.matchAll(/^> (\w+) \S+?(\/v1\/\w+)/gm)].map(([, method, path]) => `${method} ${path}`),
  ).toEqual(['POST /v1/build', 'GET /v1/build', 'POST /v1/deploy'])
})

function writeProject(): string {
  const directory = join(home.dir, 'echo')
  mkdirSync(directory, { recursive: true })
  const project = {
    name: 'echo',
    template: 'basic',
    tools: [createTool({ inputSchema: SCHEMA })],
    resources: [{ uri: 'echo://all', name: 'all', description: 'All' }],
    prompts: [{ name: 'greet', description: 'A greeting', template: 'Hello' }],
  }
  writeFileSync(join(directory, 'mcp.config.json'), JSON.stringify(project))
  return directory
}

async function additionalBuiltins(builtins: string[]): Promise<string[]> {
  const bare = await loadedBy(['--version'])
  return builtins.filter(name => !bare.builtins.includes(name) && !name.startsWith('_http_'))
}
