import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildRecord } from '../../../src/shared/contract/builds/builds.ts'
import type { DeploymentStatus } from '../../../src/shared/contract/deployments/deployments.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'
import { writeServer } from './write-server.ts'

/** Deployment commands with the real daemon. One daemon for all tests, one server per test. */
let home: TestHome

beforeAll(async () => {
  home = await startHome()
})

afterAll(() => home.remove())

type Deployment = DeploymentStatus

test('deploy prints warnings about settings that are not applied, and with --json keeps them in the record', async () => {
  const directory = writeServer(home, 'warned')
  const args = ['deploy', directory, '--env', 'staging', '--min', '2', '--max', '3']
  const { code, stderr } = await home.mcp(args)
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('Warning: config.scaling is not applied: 2 to 3 instances were requested'),
  ])
  expect(stderr.match(/is not applied/g)).toHaveLength(1)
  const { stdout, stderr: errors } = await home.mcp([...args, '--json'])
  expect([JSON.parse(stdout).warnings, errors]).toEqual([[expect.any(String)], ''])
})

test('up builds, deploys, lists the tools and calls a read-only one', async () => {
  const directory = writeServer(home, 'first')
  const result = await home.json<Record<string, unknown>>(['up', directory])
  expect(result).toEqual({
    mcp_id: expect.stringMatching(/^mcp_/),
    deployment_id: expect.stringMatching(/^dep_/),
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
    health_check: expect.stringMatching(/\/health$/),
    tools: ['hello'],
    call: {
      tool: 'hello',
      arguments: {},
      is_error: false,
      result: expect.objectContaining({ content: [{ type: 'text', text: 'Hello you from first' }] }),
    },
  })
  const { code, stdout, stderr } = await home.mcp(['up', directory])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('Hello you from first')
  expect(stdout).toContain(`first is running at ${result.url}`)
  expect(stdout).toContain('"mcpServers"')
  expect(stdout).toContain('mcp connect first\n')
})

test('up of an invalid project exits with 2 and names the invalid field', async () => {
  const directory = writeServer(home, 'faulty', {
    tools: [{ name: 'x', description: 'y', inputSchema: { type: 'array' } }],
  })
  const { code, stdout, stderr } = await home.mcp(['up', directory, '--json'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'INVALID_MCP' })
  expect(JSON.parse(stderr).error.details).toContain('tools[0].inputSchema')
})

test('a server can be built, deployed, stopped, started, restarted and removed', async () => {
  const build = await home.json<BuildRecord>(['build', writeServer(home, 'life')])
  expect(build).toMatchObject({ name: 'life', status: 'ready' })
  const deployed = await home.json<Deployment>(['deploy', build.mcp_id, '--env', 'staging'])
  expect(deployed).toMatchObject({ status: 'deployed' })
  const id = deployed.deployment_id

  expect(await home.json(['status', 'life'])).toMatchObject({
    deployment_id: id,
    environment: 'staging',
    name: 'life',
  })
  expect(await home.json(['stop', 'life'])).toMatchObject({ deployment_id: id, status: 'stopped' })
  expect((await home.mcp(['stop', id])).code).toBe(5)
  expect(await home.json(['start', 'life'])).toMatchObject({
    deployment_id: id,
    status: 'deployed',
    url: deployed.url,
  })
  expect(await home.json(['restart', id.slice(0, 12)])).toMatchObject({
    deployment_id: id,
    status: 'deployed',
  })

  const unsure = await home.mcp(['remove', 'life', '--json'])
  expect(unsure.code).toBe(2)
  expect(JSON.parse(unsure.stderr).error).toMatchObject({
    message: 'Removing life permanently needs confirmation. Repeat with --yes.',
    next: [{ command: 'mcp remove life --json --yes' }],
  })
  expect(await home.json(['remove', id.slice(0, 12), '--yes'])).toEqual({ removed: id })
  expect((await home.mcp(['status', 'life'])).code).toBe(4)
  expect(await home.json(['remove', build.mcp_id, '--yes'])).toEqual({ removed: build.mcp_id })
})

test('remove deletes one environment of a server, or the whole server with builds and subdomains, and its data only with --data', async () => {
  const { mcp_id } = await home.json<BuildRecord>(['build', writeServer(home, 'gone')])
  for (const env of ['production', 'staging', 'development'])
    await home.json(['deploy', mcp_id, '--env', env])
  const shown = await home.json<Deployment[]>(['status', 'gone'])
  expect(shown.map(({ environment }) => environment)).toEqual(['production', 'staging', 'development'])
  expect((await home.mcp(['status', 'gone'])).stdout).toContain('mcp logs gone --env production')
  await home.json(['domains', 'add', 'gone-too', await idOf('gone', 'production')])
  const taken = await home.mcp(['domains', 'add', 'gone-too', await idOf('gone', 'staging')])
  expect([taken.code, taken.stderr]).toEqual([
    5,
    expect.stringMatching(/points to "gone" in production.*mcp domains add gone-too \S+ --yes/s),
  ])
  const moved = ['domains', 'add', 'gone-too', await idOf('gone', 'staging'), '--yes']
  expect(await home.json(moved)).toMatchObject({ environment: 'staging' })
  await home.json(['domains', 'add', 'gone-too', await idOf('gone', 'production'), '--yes'])
  const unknown = await home.mcp(['domains', 'remove', 'nope'])
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('mcp domains list')])
  await home.json(['env', 'set', 'gone', 'A=1', '--env', 'production'])
  expect(await home.json(['remove', 'gone', '--env', 'staging', '--yes'])).toMatchObject({
    environments: ['staging'],
    builds: 0,
  })
  const { code, stdout, stderr } = await home.mcp(['remove', 'gone', '--yes'])
  expect(code).toBe(0)
  expect(stderr).toContain(
    'This removes 2 deployments (development, production), 1 build, subdomain gone-too.',
  )
  expect(stdout).toContain('Removed gone')
  expect((await home.mcp(['status', 'gone'])).code).toBe(4)
  expect((await home.mcp(['domains', 'list'])).stdout).not.toContain('gone-too')
  expect((await home.mcp(['env', 'list', 'gone'])).stdout).toContain('A')
  expect(await home.json(['remove', 'gone', '--data', '--yes'])).toEqual({ removed: 'gone', data: true })
  expect((await home.mcp(['remove', 'gone', '--data', '--yes'])).code).toBe(4)
})

test('remove names the project that stays and the command that deletes it', async () => {
  const { id } = await home.json<{ id: string }>(['projects', 'create', 'sourced'])
  await home.json(['build', writeServer(home, 'sourced')])
  await home.json(['env', 'set', 'sourced', 'A=1'])
  const kept = { kept_projects: [{ id, name: 'sourced' }] }
  const { stdout } = await home.mcp(['remove', 'sourced', '--yes'])
  expect(stdout).toContain(`Also delete project sourced and its uploaded sources:  mcp projects delete ${id}`)
  expect(await home.json(['remove', 'sourced', '--data', '--yes'])).toEqual({
    removed: 'sourced',
    data: true,
    ...kept,
  })
  await home.json(['projects', 'delete', id, '--yes'])
  await home.json(['build', writeServer(home, 'sourced')])
  expect(await home.json(['remove', 'sourced', '--yes'])).not.toHaveProperty('kept_projects')
})

test('logout refuses to remove the key of the local daemon', async () => {
  expect(await home.mcp(['logout'])).toMatchObject({ code: 5, stderr: expect.stringContaining('local') })
  expect((await home.mcp(['list'])).code).toBe(0)
})

async function idOf(name: string, env: string): Promise<string> {
  return (await home.json<Deployment>(['status', name, '--env', env])).deployment_id
}

test('deploy exits with 1 if the deployment fails, and shows the last lines of its log', async () => {
  const directory = join(home.dir, 'projects', 'doomed')
  mkdirSync(join(directory, 'tools'), { recursive: true })
  writeFileSync(join(directory, 'mcp.config.json'), '{"name":"doomed","template":"custom"}')
  const code = `if (process.env.DATABASE) {
  console.log('connecting to it')
  throw new Error('no database')
}
export default { description: 'Asks it', handler: () => 'asked' }`
  writeFileSync(join(directory, 'tools', 'ask.ts'), code)
  const failed = await home.mcp(['deploy', directory, '--set', 'DATABASE=none', '--no-save'])
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain('Deployment of doomed failed')
  expect(failed.stderr).toContain('no database')
  expect(failed.stderr).toContain('connecting to it')
})

test('a call by name never falls back from a failed deployment to the preview', async () => {
  const { deployments } = await home.json<{ deployments: Deployment[] }>(['list', '--all'])
  const failed = deployments.find(({ name, status }) => name === 'doomed' && status === 'failed')!
  for (const command of [
    ['call', 'doomed', 'ask'],
    ['tools', 'doomed'],
    ['read', 'doomed', 'x://y'],
  ]) {
    const { code, stderr } = await home.mcp(command)
    expect([command[0], code]).toEqual([command[0], 5])
    expect(stderr).toContain(`Deployment ${failed.deployment_id} of doomed in development failed`)
    expect(stderr).toContain('no database')
    expect(stderr).toContain('mcp start doomed --env development')
  }
  expect((await home.mcp(['call', 'doomed', 'ask', '--env', 'preview'])).stdout).toBe('asked\n')
})

test('a call by name fails if the only deployment is stopped, and reaches one that runs in another environment', async () => {
  const directory = writeServer(home, 'halted')
  const production = await home.json<Deployment>(['deploy', directory, '--env', 'production'])
  await home.json(['stop', production.deployment_id])
  const refused = await home.mcp(['call', 'halted', 'hello'])
  expect([refused.code, refused.stdout]).toEqual([5, ''])
  expect(refused.stderr).toContain(`${production.deployment_id} of halted in production is stopped`)
  await home.json(['deploy', directory, '--env', 'staging'])
  expect((await home.mcp(['call', 'halted', 'hello'])).stdout).toBe('Hello you from halted\n')
})

test('status shows the name of a variable that was given with --set, but not its value', async () => {
  const directory = writeServer(home, 'secret', { env: ['TOKEN'] })
  await home.json(['deploy', directory, '--set', 'TOKEN'], { env: { ...home.env, TOKEN: 's3cret-value' } })
  const { stdout } = await home.mcp(['status', 'secret', '--json'])
  expect(JSON.parse(stdout).config.env_vars).toHaveProperty('TOKEN')
  expect(stdout).not.toContain('s3cret-value')
})

test('allowed origins come from the project file or --origin', async () => {
  const listed = { deploy: { origins: ['https://a.example'], staging: { origins: [] } } }
  const directory = writeServer(home, 'paged', listed)
  const originsOf = async (...args: string[]) => {
    const { deployment_id } = await home.json<Deployment>(['deploy', directory, ...args])
    return (await home.json<Deployment>(['status', deployment_id])).config.origins
  }
  expect(await originsOf()).toEqual(['https://a.example'])
  expect(await originsOf('--env', 'staging')).toEqual([])
  expect(await originsOf('--origin', 'https://b.example', '--origin', 'http://localhost:3000')).toEqual([
    'https://b.example',
    'http://localhost:3000',
  ])
  const { stdout } = await home.mcp(['status', 'paged', '--env', 'development'])
  expect(stdout).toMatch(/pages +of https:\/\/b\.example, http:\/\/localhost:3000/)
  const refused = await home.mcp(['deploy', directory, '--origin', '*'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('requires config.auth') })
  expect(await originsOf('--origin', '*', '--auth', 'local')).toBe('*')
})

test('the project file or --network restricts network access, and --network can lift the restriction', async () => {
  const listed = { deploy: { network: { allow: ['api.example.com:443'] }, staging: { network: 'none' } } }
  const directory = writeServer(home, 'bordered', listed)
  const networkOf = async (...args: string[]) => {
    const { deployment_id } = await home.json<Deployment>(['deploy', directory, ...args])
    return (await home.json<Deployment>(['status', deployment_id])).config.network
  }
  expect(await networkOf()).toEqual({ allow: ['api.example.com:443'] })
  expect(await networkOf('--env', 'staging')).toBe('none')
  expect(await networkOf('--network', 'a.example.com, *.example.org:443')).toEqual({
    allow: ['a.example.com', '*.example.org:443'],
  })
  expect((await home.mcp(['status', 'bordered', '--env', 'development'])).stdout).toMatch(
    /network +only a\.example\.com, \*\.example\.org:443/,
  )
  expect(await networkOf('--network', 'open')).toBeUndefined()
  const refused = await home.mcp(['deploy', directory, '--network', 'https://a.example.com'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('--network: "https://a.example.com" must be a host without scheme')
})
