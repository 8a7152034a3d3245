import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildRecord } from '../../../src/shared/contract/builds/builds.ts'
import type { DeploymentStatus } from '../../../src/shared/contract/deployments/deployments.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'
import { writeServer } from './write-server.ts'

/** `mcp status` and `mcp list` with the real daemon. One daemon for all tests, one server per test. */
let home: TestHome

beforeAll(async () => {
  home = await startHome()
})

afterAll(() => home.remove())

type Deployment = DeploymentStatus

test('status shows all environments of a server, and --env selects one', async () => {
  const build = await home.json<BuildRecord>(['build', writeServer(home, 'twice')])
  const staging = await home.json<Deployment>(['deploy', 'twice', '--env', 'staging'])
  const development = await home.json<Deployment>(['deploy', build.mcp_id.slice(0, 12)])
  const { code, stdout } = await home.mcp(['status', 'twice'])
  expect(code).toBe(0)
  expect(stdout).toContain(staging.deployment_id)
  expect(stdout).toContain(development.deployment_id)
  const chosen = await home.json<Deployment>(['status', 'twice', '--env', 'staging'])
  expect(chosen.deployment_id).toBe(staging.deployment_id)
})

test('list shows one row per environment and the next command, and status shows the settings of a server', async () => {
  const quiet = await home.mcp(['up', writeServer(home, 'shown'), '-q'])
  expect(quiet.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\n$/)
  await home.json(['up', writeServer(home, 'shown')])
  const list = await home.mcp(['list'])
  const json = await home.json<{ builds: BuildRecord[]; deployments: Deployment[] }>(['ls'])
  const rows = list.stdout.split('\n').filter(line => line.startsWith('shown '))
  expect(rows.map(row => row.split(/ +/).slice(1, 4))).toEqual([
    ['development', 'v2', 'deployed'],
    ['preview', json.builds.find(({ name }) => name === 'shown')!.digest!.slice(0, 7), 'ready'],
  ])
  expect(list.stdout).toContain('mcp tools ')
  expect(json.builds.filter(({ name }) => name === 'shown')).toHaveLength(2)
  const status = await home.mcp(['status'])
  expect(status.stdout).toMatch(/^SERVER +ENVIRONMENT +STATUS +DEPLOYMENT +URL\n/)
  const shown = await home.mcp(['status', 'shown'])
  for (const promised of [
    /^ *instances +in a process with other servers$/m,
    /^ *idle timeout +5 min/m,
    /^ *release +immediate switch/m,
  ])
    expect(shown.stdout).toMatch(promised)
})

test('list hides failed builds and deployments that never served, says how many, and shows them with --all', async () => {
  const directory = writeServer(home, 'tries', { template: 'custom', tools: undefined, env: ['BROKEN'] })
  mkdirSync(join(directory, 'tools'))
  const code = `if (process.env.BROKEN) throw new Error('broken')\nexport default { description: 'Hi', handler: () => 'hi' }`
  writeFileSync(join(directory, 'tools', 'hi.ts'), code)
  await home.json(['deploy', directory, '--env', 'production', '--message', 'First try'])
  const failed = ['deploy', 'tries', '--env', 'staging', '--set', 'BROKEN=1']
  expect((await home.mcp(failed)).code).toBe(1)
  expect((await home.mcp(['build', '--command', 'no-such-command', '--name', 'missing'])).code).toBe(1)
  const { stdout } = await home.mcp(['list'])
  expect(stdout).toMatch(/\ntries +production +v1 +deployed .* First try\n/)
  expect(stdout).toMatch(/\nHidden: 1 failed build, \d failed deployments?\n/)
  expect(stdout).not.toMatch(/missing|staging +v1 +failed/)
  const all = (await home.mcp(['list', '--all'])).stdout
  expect(all).toMatch(/\ntries +staging +v1 +failed /)
  expect(all).toMatch(/\nmissing +build +failed /)
  expect(all).not.toContain('Hidden')
  const live = (await home.mcp(['status', 'tries', '--env', 'production'])).stdout
  expect(live).toMatch(/^ *instances +1 to 10$/m)
  expect(live).toMatch(/^ *memory limit +\d+ MiB per instance$/m)
})

test('status reports a server without a deployment in the environment, and suggests a similar name for an unknown server', async () => {
  await home.json(['up', writeServer(home, 'nearby')])
  const known = await home.mcp(['status', 'nearby', '--env', 'production'])
  expect([known.code, known.stderr]).toEqual([
    4,
    expect.stringMatching(
      /^Error: Server "nearby" has no deployment in production\.\nDeploy it: +mcp deploy nearby --env production\n/,
    ),
  ])
  const unknown = await home.mcp(['status', 'neraby', '--env', 'production'])
  expect([unknown.code, unknown.stderr]).toEqual([
    4,
    expect.stringContaining('Deployment or server "neraby" does not exist. Did you mean "nearby"?'),
  ])
})

test('status exits with 4 for a misspelled server name and suggests the similar one', async () => {
  await home.json(['up', writeServer(home, 'spelled')])
  const { code, stderr } = await home.mcp(['status', 'speled'])
  expect(code).toBe(4)
  expect(stderr).toContain('Did you mean "spelled"?')
})
