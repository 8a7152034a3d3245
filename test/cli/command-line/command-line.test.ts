import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { COMMANDS } from '../../../src/cli/command-line/command-list.ts'
import { loadCommand } from '../../../src/cli/command-line/commands.ts'
import { parseCommandLine } from '../../../src/cli/command-line/parse-command-line.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome

beforeAll(() => {
  home = createHome()
})

afterAll(() => home.remove())

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const flag of ['--version', '-v', '-V'])
    expect(await home.mcp([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  for (const words of [
    ['--version', '--json'],
    ['--json', '--version'],
  ])
    expect(JSON.parse((await home.mcp(words)).stdout)).toEqual({ version })
})

test('--help, help and no arguments name every command or its group on one screen', async () => {
  const pages = await Promise.all([home.mcp(['--help']), home.mcp(['help']), home.mcp([])])
  const { code, stdout } = pages[0]
  expect(code).toBe(0)
  for (const page of pages) expect(page).toEqual(pages[0])
  for (const { name, hidden } of COMMANDS) if (!hidden) expect(stdout).toContain(name.split(' ')[0])
  expectFits(stdout)
  expect(stdout.trimEnd().split('\n').length).toBeLessThan(24)
})

test('help all lists every command with its summary, and every subcommand, in 80 columns', async () => {
  const { code, stdout } = await home.mcp(['help', 'all'])
  expect(code).toBe(0)
  expectFits(stdout)
  const text = stdout.replace(/\s+/g, ' ')
  for (const { name, summary, hidden } of COMMANDS)
    if (!hidden) expect(text).toContain(name.includes(' ') ? name.split(' ')[1] : summary)
})

test('--help with --json describes all commands, a group or one command', async () => {
  const all = JSON.parse((await home.mcp(['--help', '--json'])).stdout)
  expect(all.commands).toHaveLength(COMMANDS.filter(({ hidden }) => !hidden).length)
  expect(all.options).toContainEqual(expect.objectContaining({ flag: '--json', type: 'boolean' }))
  const group = JSON.parse((await home.mcp(['help', 'models', '--json'])).stdout)
  expect(group.commands.map(({ name }: { name: string }) => name)).toEqual([
    'models list',
    'models login',
    'models logout',
  ])
  for (const words of [
    ['keys', 'create', '--help', '--json'],
    ['help', 'keys', 'create', '--json'],
  ])
    expect(JSON.parse((await home.mcp(words)).stdout)).toMatchObject({
      name: 'keys create',
      arguments: [],
      options: [{ flag: '--name', type: 'string' }, { flag: '--scopes', default: 'READ' }, {}, {}],
    })
})

test('the help of every command fits 80 columns, except for its examples', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  for (const { name, hidden } of COMMANDS) {
    if (hidden) continue
    const command = await loadCommand(name)
    parseCommandLine(command, ['--help'])
    const page = String(write.mock.lastCall?.[0])
    expectFits(page, Object.keys(command.examples ?? {}))
  }
  write.mockRestore()
})

function expectFits(page: string, longer: readonly string[] = []): void {
  for (const line of page.split('\n'))
    if (!longer.includes(line.trim())) expect(line.length, line).toBeLessThanOrEqual(80)
}

test('every listed command exists and has an example', async () => {
  for (const { name, hidden } of COMMANDS) {
    const command = await loadCommand(name)
    if (!hidden) expect(Object.keys(command.examples ?? {}), name).not.toEqual([])
  }
})

test('help before a command and --help after it show its usage, options and examples', async () => {
  const [flag, word] = await Promise.all([
    home.mcp(['keys', 'create', '--help']),
    home.mcp(['help', 'keys', 'create']),
  ])
  expect(flag).toEqual(word)
  expect(flag.code).toBe(0)
  expect(flag.stdout).toContain('Usage: mcp keys create [options]')
  expect(flag.stdout).toContain('--scopes <scopes>')
  expect(flag.stdout).toContain('Examples:')
})

test('a group without a subcommand lists its subcommands and exits with 2, or with 0 for --help', async () => {
  const [bare, help] = await Promise.all([home.mcp(['daemon']), home.mcp(['daemon', '--help'])])
  expect(bare.code).toBe(2)
  const names = COMMANDS.map(({ name }) => name).filter(name => name.startsWith('daemon '))
  expect(names).toContain('daemon restart')
  const commands = names.map(name => name.slice('daemon '.length)).join(', ')
  expect(bare.stderr).toContain(`"mcp daemon" needs a subcommand: ${commands}.\n`)
  expect(help.code).toBe(0)
  for (const name of names) expect(help.stdout).toContain(name)
})

test.each([
  ['an unknown command', ['biuld'], 'Unknown command "biuld". Did you mean "build"?'],
  ['an unknown subcommand', ['keys', 'creat'], 'Did you mean "keys create"?'],
  ['an unknown option', ['status', '--evn', 'staging'], 'Unknown option "--evn". Did you mean --env?'],
  ['an option without its value', ['deploy', '--set'], '--set needs a value: --set KEY=VALUE.'],
  ['an option of another tool', ['deploy', '--enviroment', 'x'], 'Did you mean --env?'],
  [
    'a value that is not a choice',
    ['deploy', '--env', 'prod'],
    'production, staging, development. Did you mean production?',
  ],
  ['a command from other tools', ['undeploy', 'weather'], 'mcp stop <server>'],
  ['a missing argument', ['keys', 'check'], 'Missing <key>, <method> and <path>.'],
  [
    'a minimum above the maximum',
    ['deploy', '--min', '5', '--max', '2'],
    '--min (5) must not exceed --max (2).',
  ],
  ['too many arguments', ['whoami', 'x'], 'Too many arguments'],
  ['an invalid number', ['deploy', '--min', 'many'], '--min is "many", expected a whole number.'],
  ['an invalid duration', ['keys', 'create', '--expires', '7 days'], '--expires: "7 days" is not a duration'],
  ['an invalid URL', ['whoami', '--api-url', 'ftp://x'], '--api-url is "ftp://x"'],
  ['an unknown scope', ['keys', 'create', '--name', 'x', '--scopes', 'REED'], 'Did you mean READ'],
  ['an invalid variable name', ['deploy', '--set', '1X=2'], '"1X" is not a variable name'],
  [
    'a variable that is not set',
    ['deploy', '--set', 'NOT_SET_HERE'],
    'NOT_SET_HERE is not set in this shell',
  ],
  ['a folder without a project', ['build', '/'], 'No project file in /'],
  ['watching a folder without a project', ['build', '/', '--watch'], 'or code in tools/,'],
  ['watching a command', ['build', '--watch', '--command', 'x'], '--watch and --command cannot be combined'],
])('%s is a usage error with exit code 2', async (_name, args, sentence) => {
  const { code, stdout, stderr } = await home.mcp(args)
  expect(stderr).toContain(sentence)
  expect(stdout).toBe('')
  expect(code).toBe(2)
})

test('a usage error with --json is one line of JSON', async () => {
  const { code, stdout, stderr } = await home.mcp(['status', '--json', '--nope'])
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'INVALID_REQUEST',
      message: 'Unknown option "--nope".',
      details: '',
      next: [{ description: 'Show the usage of the command', command: 'mcp status --help' }],
    },
  })
})

test('global options can precede the command', async () => {
  const { stdout, code } = await home.mcp(['--json', '--context', 'local', 'context', 'show'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout).context).toEqual({ value: 'local', source: 'flag', from: '--context' })
})

test('daemon status, context list and daemon stop do not start a daemon', async () => {
  const { code, stdout } = await home.mcp(['daemon', 'status', '--json'])
  expect(code).toBe(7)
  expect(JSON.parse(stdout)).toMatchObject({ running: false, url: null })
  await home.mcp(['context', 'list'])
  await home.mcp(['daemon', 'stop'])
  expect(home.discovery()).toBeUndefined()
})

test('build --check validates without a daemon', async () => {
  const { code, stdout } = await home.mcp(['build', '--check', 'examples/weather', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ valid: true, name: 'weather', template: 'advanced' })
  expect(home.discovery()).toBeUndefined()
})
