import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeploymentStatus } from '../../../src/shared/contract/deployments/deployments.ts'
import type { ServerEnv } from '../../../src/shared/contract/servers/variables.ts'
import { callTool } from '../../helpers/daemon/daemon.ts'
import { createHome, eventually, MCP_BIN, runToEnd, type TestHome } from '../../helpers/daemon/mcp.ts'
import { isRunning } from '../../helpers/processes.ts'

/** `mcp env` and the variables of deployments, with the real daemon. One daemon for all tests, one server per test. */
let home: TestHome

beforeAll(async () => {
  home = createHome()
  await home.json(['daemon', 'start'])
})

afterAll(() => home.remove())

const SECRET = 'hunter2-hunter2-hunter2'

/** A project whose tool returns the values of two variables. */
function project(name: string, deploy = {}): string {
  const directory = join(home.dir, 'projects', name)
  mkdirSync(directory, { recursive: true })
  const say = {
    name: 'say',
    description: 'Returns its variables',
    inputSchema: { type: 'object' },
    handler: { type: 'template', text: '{{ env.SHOP_URL }} {{ env.API_KEY }}' },
  }
  const env = [{ name: 'SHOP_URL', required: true }, { name: 'API_KEY' }]
  writeFileSync(
    join(directory, 'mcp.config.json'),
    JSON.stringify({ name, template: 'advanced', tools: [say], env, deploy }),
  )
  return directory
}

const say = async ({ url }: { url: string }) => (await callTool(url, 'say', {})).content[0].text
const variables = async (name: string, env = 'development') =>
  (await home.json<{ items: ServerEnv[] }>(['env', 'list', name, '--env', env])).items[0]!

test('the error for a missing variable names the command that sets it, and later deployments use the stored value', async () => {
  const directory = project('shop')
  const missing = await home.mcp(['up', directory])
  expect([missing.code, missing.stderr]).toEqual([
    2,
    'Error: shop needs the environment variable SHOP_URL in development.\nSet it:  mcp env set shop SHOP_URL=…\n',
  ])
  const { code, stdout } = await home.mcp(['env', 'set', 'shop', 'SHOP_URL=https://a.example', 'API_KEY=k1'])
  expect([code, stdout]).toEqual([0, 'Stored API_KEY (secret), SHOP_URL for shop in development\n'])
  const up = await home.json<DeploymentStatus>(['up', directory])
  expect(await say(up)).toBe('https://a.example k1')
  await home.mcp(['up', directory, '--set', 'API_KEY=k2'])
  expect(await say(up)).toBe('https://a.example k2')
  await home.mcp(['deploy', directory, '--set', 'API_KEY=k3', '--no-save'])
  expect(await say(up)).toBe('https://a.example k3')
  await home.mcp(['deploy', directory])
  expect(await say(up)).toBe('https://a.example k2')
})

test('stored variables take precedence over the project file, and --set takes precedence over both', async () => {
  const directory = project('layered', { development: { env_vars: { SHOP_URL: 'https://file.example' } } })
  const up = await home.json<DeploymentStatus>(['up', directory])
  expect(await say(up)).toBe('https://file.example ')
  await home.json(['env', 'set', 'layered', 'SHOP_URL=https://stored.example', '--release'])
  expect(await say(up)).toBe('https://stored.example ')
  await home.json(['deploy', directory])
  expect(await say(up)).toBe('https://stored.example ')
  await home.json(['deploy', directory, '--set', 'SHOP_URL=https://given.example', '--no-save'])
  expect(await say(up)).toBe('https://given.example ')
})

test('env list shows the age of variables, marks missing and unreleased ones, and hides secrets', async () => {
  const directory = project('listed')
  await home.json(['up', directory, '--set', 'SHOP_URL=https://a.example'])
  const { stdout: before } = await home.mcp(['env', 'list', 'listed'])
  expect(before).toMatch(/^SHOP_URL +https:\/\/a\.example +just now$/m)
  expect(before).toMatch(/^API_KEY +- +missing$/m)
  const changed = await home.mcp(['env', 'set', 'listed', 'API_KEY'], { input: `${SECRET}\n` })
  expect(changed.stdout).toContain('Release the change:  mcp env release listed --env development')
  const { stdout } = await home.mcp(['env', 'list', 'listed'])
  expect(stdout).toMatch(/^API_KEY +secret +just now +not released$/m)
  const undeclared = await home.mcp(['env', 'set', 'listed', 'FOO=bar'])
  expect([undeclared.stdout, undeclared.stderr]).toEqual([
    'Stored FOO for listed in development\n',
    'listed declares no variable FOO, so the value is stored but not passed to the server. Add "FOO" to "env" in its project file (mcp.config.json) and deploy the server again.\n',
  ])
  const released = await home.mcp(['env', 'release', 'listed'])
  expect([released.code, released.stdout]).toEqual([
    0,
    expect.stringMatching(/^Released listed in development/),
  ])
  const texts = [stdout, changed.stdout, released.stdout, JSON.stringify(await variables('listed'))]
  expect(texts.join()).not.toContain(SECRET)
  const status = await home.json<DeploymentStatus>(['status', 'listed'])
  expect(await say(status)).toBe(`https://a.example ${SECRET}`)
  const { stdout: log } = await home.mcp(['logs', 'listed', '--level', 'debug'])
  expect(log).not.toContain(SECRET)
  expect(logFiles().filter(file => readFileSync(file).includes(SECRET))).toEqual([])
})

function logFiles(): string[] {
  const files = readdirSync(join(home.dir), { recursive: true, encoding: 'utf8' })
  return files.filter(file => /\.log|jsonl$/.test(file)).map(file => join(home.dir, file))
}

test('env pull writes a private file, env push stores it for another environment, and env unset removes variables', async () => {
  const directory = project('moved')
  await home.json(['up', directory, '--set', "SHOP_URL=it's # 1", '--set', 'API_KEY=k1'])
  const pull = ['env', 'pull', '--file', 'pulled.env']
  const { code, stdout, stderr } = await home.mcp(pull, { cwd: directory })
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: 'Wrote 1 variable of moved in development to pulled.env\n',
    stderr: 'Using moved, the project in this folder.\nWritten as comments without values: API_KEY\n',
  })
  const file = join(directory, 'pulled.env')
  expect(readFileSync(file, 'utf8')).toBe(`# API_KEY=\nSHOP_URL="it's # 1"\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await home.mcp(pull, { cwd: directory })).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/exists/),
  })
  await home.json(['env', 'push', '--file', 'pulled.env', '--env', 'staging'], { cwd: directory })
  expect((await variables('moved', 'staging')).variables).toMatchObject([
    { name: 'SHOP_URL', value: "it's # 1" },
  ])
  const { stdout: all } = await home.mcp(['env', 'list'], { cwd: directory })
  expect(all).toMatch(/^NAME +VALUE +ENVIRONMENT +UPDATED$/m)
  expect(all).toMatch(/^SHOP_URL +it's # 1 +staging +just now$/m)
  const both = ['env', 'set', 'EXTRA', 'SHOP_URL=x', '--env', 'staging']
  expect(await home.mcp(both, { cwd: directory, input: 'y' })).toMatchObject({ code: 0 })
  await home.json(['env', 'unset', 'SHOP_URL', 'EXTRA', '--env', 'staging'], { cwd: directory })
  expect((await variables('moved', 'staging')).variables).toEqual([])
  await home.json(['env', 'unset', 'moved', '--all'])
  expect((await variables('moved')).variables).toEqual([])
})

test('with --json, an invalid or missing --env-file is a usage error that names the file and any invalid line', async () => {
  const directory = project('filed')
  writeFileSync(join(directory, 'bad.env'), `SHOP_URL=x\n${SECRET}\n`)
  for (const command of [['up'], ['deploy'], ['dev'], ['build']]) {
    const bad = await home.mcp([...command, '.', '--env-file=bad.env', '--json'], { cwd: directory })
    expect([bad.code, bad.stdout, JSON.parse(bad.stderr).error.message]).toEqual([
      2,
      '',
      'bad.env:2: expected NAME=value.',
    ])
  }
  // Started by its path, as a shell does. `node mcp … --env-file` without `--` would make Node itself reject the file.
  const env = { ...home.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const args = ['up', '.', '--env-file', 'none.env', '--json']
  const { code, stderr } = await runToEnd(MCP_BIN, args, { env, cwd: directory })
  expect([code, JSON.parse(stderr).error]).toEqual([
    2,
    expect.objectContaining({ message: 'Could not read none.env: the file does not exist.' }),
  ])
})

test('mcp env rejects invalid arguments without storing anything, and warns about an undeclared variable', async () => {
  project('worded')
  await home.json(['build', join(home.dir, 'projects', 'worded')])
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['env', 'set', 'worded', '1A=x'], 2, /mcp env set: "1A" is not a variable name/],
    [
      ['env', 'set', 'worded', 'A', 'B'],
      2,
      /A and B have no value\. Only one value can be read from standard input/,
    ],
    [['env', 'set', 'worded', 'A'], 2, /A has no value, and standard input is empty/],
    [['env', 'set', 'worded'], 2, /Missing <server>\. Servers: .*worded/],
    [['env', 'set', 'wordet', 'A=x'], 4, /Server "wordet" does not exist\. Did you mean "worded"\?/],
    [['env', 'set', 'worded', 'A=x', '--secret', '--plain'], 2, /cannot be combined/],
    [['env', 'unset', 'worded', 'A'], 4, /worded has no variable A in development/],
    [['env', 'push', 'worded', '--file', 'none.env'], 2, /Could not read none\.env: the file does not exist/],
    [['env', 'release', 'worded'], 5, /has no live deployment in development/],
  ]
  for (const [args, code, message] of cases) {
    const answer = await home.mcp(args, { cwd: home.dir })
    expect([answer.code, answer.stderr], args.join(' ')).toEqual([code, expect.stringMatching(message)])
  }
  expect((await variables('worded')).variables).toEqual([])
  const typo = await home.mcp(['env', 'set', 'worded', 'SHOP_ULR=x'])
  expect([typo.code, typo.stderr]).toEqual([
    0,
    'worded declares no variable SHOP_ULR, so the value is stored but not passed to the server. Did you mean SHOP_URL?\n',
  ])
})

test('a variable outlives a daemon that is killed before the release', async () => {
  const directory = project('killed')
  const up = await home.json<DeploymentStatus>(['up', directory, '--set', 'SHOP_URL=https://one.example'])
  await home.json(['env', 'set', 'killed', 'SHOP_URL=https://two.example', `API_KEY=${SECRET}`])
  const { pid } = home.discovery()!
  process.kill(pid, 'SIGKILL')
  await eventually(() => !isRunning(pid))
  expect((await variables('killed')).variables).toMatchObject([
    { name: 'API_KEY', secret: true, released: false },
    { name: 'SHOP_URL', value: 'https://two.example', released: false },
  ])
  expect(await say(up)).toBe('https://one.example ')
  await home.json(['env', 'release', 'killed'])
  expect(await say(up)).toBe(`https://two.example ${SECRET}`)
})
