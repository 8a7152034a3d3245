import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../src/cli/command-line/command-list.ts'
import {
  type CommandOptions,
  type CommandResult,
  createHome,
  eventually,
  MCP_BIN,
  type TestHome,
} from '../../helpers/daemon/mcp.ts'
import { type ContractStub, startContractStub } from '../../helpers/services/contract-stub.ts'
import { startSdkServer } from '../../helpers/services/sdk-server.ts'
import { CASES, type Case } from './contract-only-cases.ts'

/** Commands without a case in CASES. Tests below or in other files run them. */
const ELSEWHERE = [
  'dev',
  'login',
  'logout',
  'projects unlink',
  'domains trust',
  'context use',
  'context add',
  'context remove',
  'completion',
  '__complete',
  '__check-version',
  ...COMMANDS.map(({ name }) => name).filter(name => name.startsWith('daemon ')),
]

let home: TestHome
let stub: ContractStub
let server: { url: string; close(): Promise<void> }
let project: string

beforeAll(async () => {
  home = createHome()
  // Makes mcp connect find an installed client.
  mkdirSync(join(home.dir, '.claude'))
  server = await startSdkServer()
  stub = await startContractStub({ serverUrl: server.url })
  Object.assign(home.env, { MCP_API_URL: stub.url, MCP_API_KEY: stub.key })
  // Not the home itself, because an upload packs every file while other commands replace files in the home.
  project = join(home.dir, 'project')
  mkdirSync(project)
  const tool = { name: 'add', description: 'Adds', inputSchema: { type: 'object' } }
  writeFileSync(
    join(project, 'mcp.config.json'),
    JSON.stringify({ name: 'calc', template: 'basic', tools: [tool] }),
  )
  writeFileSync(join(home.dir, 'pushed.env'), 'A=1\n')
  const calc = { command: 'calc-server', env: { KEY: 'x' } }
  writeFileSync(join(home.dir, 'servers.json'), JSON.stringify({ mcpServers: { calc } }))
})

afterAll(async () => {
  await Promise.all([stub?.close(), server?.close()])
  await home.remove()
})

const fill = (text: string) =>
  text.replaceAll('URL', server.url).replaceAll('DIR', project).replaceAll('HOME', home.dir)
const run = (args: string, options: CommandOptions = {}) =>
  home.mcp(fill(args).split(' '), { cwd: home.dir, ...options })

test('every command has a test case', () => {
  const covered = [...Object.keys(CASES), ...ELSEWHERE]
  expect(covered.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
})

const cases = Object.values(CASES).flat()
const working = cases.filter(({ refused }) => !refused)
const refused = cases.filter(one => one.refused)

const exiting = working.filter(({ exits }) => exits)

// Only a separate process shows that the command wrote everything and left no connection open.
describe.concurrent('commands in their own process', () => {
  test.each(exiting)(
    'mcp $args succeeds with an API that implements only the contract, and its process exits',
    one => expectSupported(one, { ownProcess: true }),
  )
})

test.each(working.filter(({ exits }) => !exits))(
  'mcp $args succeeds with an API that implements only the contract',
  async one => expectSupported(one),
)

async function expectSupported({ args, input, shows }: Case, options: CommandOptions = {}): Promise<void> {
  const { code, stdout, stderr } = await run(args, { input, ...options })
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
  const pattern = shows && new RegExp(shows.source.replace(/^URL$/, server.url.replaceAll('.', '\\.')))
  if (pattern) expect(stdout).toMatch(pattern)
  expect(stdout).not.toMatch(/undefined|NaN|\[object/)
  await expectWorking(hintsOf(stdout))
}

test.each(refused)(
  'mcp $args fails with an explanation if the API implements only the contract',
  async ({ args, input, refused }) => {
    const answer = await run(`${args} --json`, { input })
    expect(answer).toMatchObject({ code: 4, stdout: '' })
    const { error } = JSON.parse(answer.stderr.trim().split('\n').at(-1)!)
    expect(`${error.message}\n${error.details}`).toMatch(refused!)
    expect(error.next.length).toBeGreaterThan(0)
    await expectWorking(error.next.flatMap(({ command }: { command?: string }) => command ?? []))
  },
)

/** Commands in lines such as `Show its state:  mcp status dep-9`. */
function hintsOf(stdout: string): string[] {
  return [...stdout.matchAll(/: {2,}(mcp .+)$/gm)].map(([, command]) => command!)
}

const known = new Map<string, Promise<CommandResult>>()

/** Every suggested command must have a case that succeeds or be in ELSEWHERE. Lines that can run unchanged must succeed. */
async function expectWorking(hints: string[]): Promise<void> {
  for (const hint of hints) {
    const name = Object.keys(CASES).find(one => hint === `mcp ${one}` || hint.startsWith(`mcp ${one} `))!
    const isLocal = ELSEWHERE.some(one => hint.startsWith(`mcp ${one}`))
    expect(isLocal || CASES[name]?.some(({ shows }) => shows), hint).toBe(true)
    if (/[<"]|logs -f|mcp (deploy|up|build)$/.test(hint)) continue
    if (!known.has(hint)) known.set(hint, run(hint.slice('mcp '.length)))
    expect(await known.get(hint), hint).toMatchObject({ code: 0 })
  }
}

test('projects build in a linked folder needs no project id', async () => {
  const env = { ...home.env }
  await home.mcp(['projects', 'link', 'p1'], { cwd: home.dir, env })
  const { code, stdout } = await home.mcp(['projects', 'build', '--no-wait'], { cwd: home.dir, env })
  expect([code, stdout]).toEqual([0, expect.stringContaining('lb1')])
})

test('projects build follows a container build until the log reports the result', async () => {
  const buildLog = [
    { status: 'in_progress', lines: [{ message: 'one' }] },
    { status: 'failed', lines: [{ message: 'one' }, { message: 'two' }] },
  ]
  const own = await startContractStub({ buildLog })
  try {
    const env = { ...home.env, MCP_API_URL: own.url }
    const { code, stdout, stderr } = await home.mcp(['projects', 'build', 'p1'], { env })
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'one\ntwo\n' })
    expect(stdout).toContain('Container build lb1: failed')
  } finally {
    await own.close()
  }
})

test('mcp dev builds the project, and stops on Ctrl-C', async () => {
  const child = spawn(process.execPath, [MCP_BIN, 'dev', project, '--json'], { env: home.env })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', text => (stdout += text))
  child.stderr.on('data', text => (stderr += text))
  const code = new Promise(resolve => child.once('exit', resolve))
  await eventually(() => stdout.includes('"event":"built"') || child.exitCode !== null)
  child.kill('SIGINT')
  expect([await code, stderr]).toEqual([130, ''])
})
