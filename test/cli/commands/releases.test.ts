import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeploymentStatus } from '../../../src/shared/contract/deployments/deployments.ts'
import type { ReleaseRecord } from '../../../src/shared/contract/deployments/releases.ts'
import type { LogLine } from '../../../src/shared/instances/log-line.ts'
import { type DaemonHome, startHome } from '../../helpers/daemon/daemon-home.ts'
import { createHome, eventually } from '../../helpers/daemon/mcp.ts'
import { writeServer } from './write-server.ts'

type Deployment = DeploymentStatus

let home: DaemonHome
let project: string

beforeAll(async () => {
  home = await startHome()
  project = join(home.dir, 'greeter')
  mkdirSync(project)
  write('Hello')
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'First')
})

afterAll(() => home.remove())

function write(text: string): void {
  const handler = { type: 'template', text: `${text} {{ name }}` }
  const inputSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const tool = (name: string) => ({ name, description: text, inputSchema, handler })
  const tools = [tool('hello'), ...(text === 'Hello' ? [] : [tool('goodbye')])]
  const resources = [{ uri: 'docs://guide', name: 'guide', description: 'Guide', text: 'Say hello' }]
  const test = { cases: [{ name: 'greets', message: 'hello Ada', expect: { tools: [] } }] }
  writeFileSync(
    join(project, 'mcp.config.json'),
    JSON.stringify({ name: 'greeter', template: 'basic', tools, resources, test }),
  )
}

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  return execFileSync('git', ['-C', project, ...identity, ...args], { encoding: 'utf8' }).trim()
}

async function releases(...args: string[]): Promise<ReleaseRecord[]> {
  return (await home.json<{ items: ReleaseRecord[] }>(['releases', 'greeter', ...args])).items
}

async function logs(...args: string[]): Promise<(LogLine & { version: number })[]> {
  const { stdout } = await home.mcp(['logs', 'greeter', '--json', ...args])
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}

test('deploying a built server keeps its sign-in and limits, and --auth none removes the sign-in', async () => {
  const directory = writeServer(home, 'kept')
  await home.json(['deploy', directory, '--env', 'production', '--auth', 'local', '--memory', '200'])
  const deploy = async (...options: string[]) => {
    await home.json(['deploy', 'kept', '--env', 'production', ...options])
    return (await home.json<Deployment>(['status', 'kept', '--env', 'production'])).config
  }
  expect(await deploy()).toMatchObject({ auth: { provider: 'local' }, limits: { memory_mb: 200 } })
  expect(await deploy('--max', '3')).toMatchObject({
    auth: { provider: 'local' },
    scaling: { max_instances: 3 },
  })
  await home.json(['stop', 'kept', '--env', 'production'])
  expect(await deploy()).toMatchObject({ auth: { provider: 'local' }, limits: { memory_mb: 200 } })
  expect((await deploy('--auth', 'none')).auth).toBeUndefined()
})

test('mcp releases lists all releases, even after a restart of the daemon', async () => {
  const deployed = ['deploy', project, '--env', 'production']
  await home.json([...deployed, '-m', 'First greeting'])
  await home.mcp(['call', 'greeter', 'hello', 'name:=3'])
  await home.mcp(['call', 'greeter', 'hello', 'name=Ada'])
  write('Good day')
  await home.json([...deployed, '-m', 'More polite'])
  await home.restart()
  const commit = git('rev-parse', 'HEAD')
  const [second, first] = await eventually(async () => {
    const all = await releases()
    return all[1]!.errors > 0 ? all : undefined
  })
  expect(first).toMatchObject({
    version: 1,
    environment: 'production',
    status: 'stopped',
    author: 'owner',
    message: 'First greeting',
    git: { commit, dirty: false },
    changes: null,
    errors: 1,
  })
  expect(second).toMatchObject({
    version: 2,
    status: 'deployed',
    message: 'More polite',
    git: { commit, dirty: true },
    changes: { breaking: 0, compatible: expect.any(Number) },
    errors: 0,
  })
  expect(second!.digest).not.toBe(first!.digest)
})

test('mcp logs continues across releases and marks where each begins', async () => {
  const calls = (await logs('--tool', 'hello')).filter(({ outcome }) => outcome)
  expect(calls).toMatchObject([
    { version: 1, outcome: 'error', reason: expect.stringContaining('name') },
    { version: 1, outcome: 'ok' },
  ])
  expect((await logs('--grep', 'release of version')).map(({ release }) => release)).toEqual([1, 2])
})

test('rollback returns to the given version and prints a summary of it', async () => {
  const { stdout } = await home.mcp(['rollback', 'greeter', '--to', '1', '-m', 'Too polite'])
  expect(stdout).toMatch(
    /^Rolled back greeter to version 1 \((just now|.* ago) by owner: First greeting\) in /,
  )
  expect((await releases())[0]).toMatchObject({ version: 3, rollbackTo: 1, message: 'Too polite' })
  expect((await home.mcp(['tools', 'greeter'])).stdout).not.toContain('goodbye')

  const shown = (await home.mcp(['releases', 'greeter'])).stdout
  expect(shown).toMatch(/^greeter in production\nVERSION {2}AGE +STATUS +BY +REQUESTS +CHANGES/)
  expect(shown).toMatch(/\nv3 .* live .* rollback to v1: Too polite\nv2 .* stopped .*compatible/)
})

test('rollback rejects an unknown version, and releases suggests a similar name for an unknown server', async () => {
  const unknown = await home.mcp(['rollback', 'greeter', '--to', '9'])
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('has no version 9')])
  const mistyped = await home.mcp(['releases', 'greter'])
  expect([mistyped.code, mistyped.stderr]).toEqual([4, expect.stringContaining('Did you mean "greeter"?')])
})

test('a rollback in development can return to a release whose deployment was removed', async () => {
  write('Hello')
  await home.json(['deploy', project])
  write('Good day')
  await home.json(['deploy', project])
  const { stdout, stderr } = await home.mcp(['rollback', 'greeter', '--env', 'development'])
  expect(stdout).toMatch(/^Rolled back greeter to version 1 /)
  expect(stderr).toContain('The configuration of version 1 was removed with its deployment')
  const list = (await home.mcp(['list'])).stdout
  expect(list).toMatch(/\ngreeter +production +v3 +deployed +\d+ (s|min) +http:/)
  expect(list).toMatch(/\ngreeter +development +v3 +deployed/)
})

test('logs without a server prefixes each line with its server and environment', async () => {
  const { stdout } = await home.mcp(['logs', '--grep', 'release of version', '-n', '2'])
  expect(stdout).toMatch(
    /^20\d\d-\S+ \S+ greeter\/development info {2}server release of version 2: .* by owner\n/,
  )
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
})

test('mcp releases lists the release of a deployment that a killed daemon did not finish', async () => {
  const killed = createHome()
  try {
    const { deployment_id } = await killed.json<{ deployment_id: string }>([
      ...['deploy', project, '--env', 'staging', '--no-wait', '-m', 'Interrupted'],
    ])
    process.kill(killed.discovery()!.pid, 'SIGKILL')
    const { items } = await killed.json<{ items: ReleaseRecord[] }>([
      'releases',
      'greeter',
      '--env',
      'staging',
    ])
    expect(items[0]).toMatchObject({ version: 1, deploymentId: deployment_id, message: 'Interrupted' })
  } finally {
    await killed.remove()
  }
})

test('the log line of a failed resource read names the resource and the reason', async () => {
  await home.mcp(['read', 'greeter', 'docs://missing', '--env', 'production'])
  const failed = await eventually(async () => {
    const lines = await logs('--env', 'production', '--grep', 'missing')
    return lines.length > 0 ? lines : undefined
  })
  expect(failed).toMatchObject([
    { message: 'resources/read docs://missing', reason: 'Resource not found: docs://missing' },
  ])
})

test('mcp logs shows MCP messages only at level debug', async () => {
  const hasMessages = (lines: LogLine[]) => lines.some(({ level }) => level === 'debug')
  await home.mcp(['call', 'greeter', 'hello', 'name=Ada', '--env', 'development'])
  await eventually(async () => hasMessages(await logs('--level', 'debug')))
  expect(hasMessages(await logs('-n', '1000'))).toBe(false)
})

test('rollback warns about changed environment variables without showing values', async () => {
  const env = [{ name: 'TOKEN' }, { name: 'REGION' }, { name: 'SAME' }]
  const directory = writeServer(home, 'values', { env })
  const set = (...values: string[]) => values.flatMap(value => ['--set', value])
  await home.json(['deploy', directory, ...set('TOKEN=hush-1', 'SAME=x'), '--env', 'staging'])
  await home.json(['deploy', directory, ...set('TOKEN=hush-2', 'SAME=x', 'REGION=eu'), '--env', 'staging'])
  const { code, stdout, stderr } = await home.mcp(['rollback', 'values', '--env', 'staging'])
  expect(code).toBe(0)
  expect(stderr).toContain('The environment variable REGION is no longer set.')
  expect(stderr).toContain('The environment variable TOKEN has its previous value again.')
  expect(`${stdout}${stderr}`).not.toMatch(/SAME|hush/)
  const again = await home.json<{ warnings: string[] }>(['rollback', 'values', '--env', 'staging'])
  expect(again.warnings).toEqual([
    'This restores the environment variable REGION.',
    'The environment variable TOKEN has its previous value again.',
    'The stored variables are unchanged. The next deployment gets them.',
  ])
})

test('rollback without an earlier release names the command that deploys an older build, if there is one', async () => {
  const directory = writeServer(home, 'only')
  const first = await home.json<{ mcp_id: string }>(['build', directory])
  await home.json(['deploy', first.mcp_id, '--env', 'staging'])
  const alone = await home.mcp(['rollback', 'only', '--env', 'staging'])
  expect([alone.code, alone.stderr]).toEqual([
    5,
    expect.stringContaining('There is no older build to deploy'),
  ])
  await home.json(['deploy', directory, '--env', 'production'])
  const same = await home.mcp(['rollback', 'only', '--env', 'production'])
  expect(same.stderr).toContain('There is no older build to deploy')
  writeServer(home, 'only', { env: ['CITY'] })
  await home.json(['deploy', directory, '--env', 'development'])
  const { stderr } = await home.mcp(['rollback', 'only', '--env', 'development'])
  expect(stderr).toMatch(/Deploy an older build instead: mcp deploy mcp_\w{20} --env development\n/)
})

test('rollback deploys an earlier build again as a new deployment', async () => {
  const directory = writeServer(home, 'back')
  const one = await home.json<Deployment>(['deploy', directory, '--env', 'staging'])
  const two = await home.json<Deployment>(['deploy', directory, '--env', 'staging'])
  const rolled = await home.json<Deployment>(['rollback', 'back'])
  expect(rolled).toMatchObject({ status: 'deployed', url: one.url })
  expect([one.deployment_id, two.deployment_id]).not.toContain(rolled.deployment_id)
  const again = await home.json<Deployment>(['rollback', 'back', '--to', two.deployment_id])
  expect(again.status).toBe('deployed')
  const second = await home.json<Deployment>(['rollback', 'back', '--to', two.deployment_id])
  const buildOf = async ({ deployment_id: id }: Deployment) =>
    (await home.json<Deployment>(['status', id])).mcp_id
  expect(await buildOf(second)).toBe(await buildOf(two))
  const { stdout } = await home.mcp(['rollback', 'back'])
  expect(stdout).toMatch(/^Rolled back back to version 4 \(.* by owner: rollback to v2\) in /)
})

test('rollback accepts the id of an earlier deployment and defaults to the project in this folder', async () => {
  const directory = writeServer(home, 'named')
  const one = await home.json<Deployment>(['deploy', directory, '--set', 'A=1', '--env', 'staging'])
  for (const value of ['2', '3'])
    await home.json(['deploy', directory, '--set', `A=${value}`, '--env', 'staging'])
  const { stdout } = await home.mcp(['rollback', one.deployment_id.slice(0, 12)])
  expect(stdout).toMatch(/^Rolled back named to version 1 \(.* by owner\) in /)
  const here = await home.json<Deployment & { warnings: string[] }>(['rollback'], { cwd: directory })
  expect(here).toMatchObject({
    url: one.url,
    warnings: [
      expect.stringContaining('variable A '),
      expect.stringContaining('stored variables are unchanged'),
      expect.stringContaining('config.env_vars'),
    ],
  })
  const elsewhere = await home.mcp(['rollback'], { cwd: home.dir })
  expect(elsewhere.code).toBe(2)
  expect(elsewhere.stderr).toContain('Missing <server>. Servers: ')
})
