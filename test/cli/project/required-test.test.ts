import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
let directory: string
beforeAll(async () => {
  home = await startHome()
  directory = join(home.dir, 'weather')
  mkdirSync(directory)
})
afterAll(() => home.remove())

/** Writes a project with a suite in which one of two cases passes. */
function writeProject(more: object = {}): void {
  const inputSchema = {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city' } },
    required: ['city'],
  }
  const tools = [{ name: 'get_weather', description: 'Current weather of a city', inputSchema }]
  const cases = [
    {
      name: 'asks',
      message: "What's the weather in Madrid?",
      expect: { calls: [{ tool: 'get_weather', arguments: { city: 'Madrid' } }] },
    },
    {
      name: 'cannot',
      message: "What's the weather in Oslo?",
      expect: { calls: [{ tool: 'get_weather', arguments: { city: 'Lima' } }] },
    },
  ]
  const project = {
    name: 'weather',
    template: 'basic',
    tools,
    test: { models: 'embedded', cases },
    ...more,
  }
  writeFileSync(join(directory, 'mcp.config.json'), JSON.stringify(project))
}

const deployments = async (): Promise<unknown[]> =>
  (await home.json<{ deployments: unknown[] }>(['list'])).deployments

test('with too few passing cases, deploy exits with 1, lists the failures and releases nothing', async () => {
  writeProject()
  const refused = await home.mcp(['deploy', directory, '--require-test', '0.9'])
  expect(refused.code).toBe(1)
  expect(refused.stdout).toContain('✓ asks')
  expect(refused.stdout).toContain('✗ cannot')
  expect(refused.stderr).toContain(
    'weather was not released: 1 of 2 cases in its suite passed (0.5, required: 0.9).',
  )
  expect(refused.stderr).toMatch(/mcp test --project \S*weather\n/)
  expect(await deployments()).toEqual([])
})

test('with --json, deploy reports too few passing cases as one error that lists the failed cases', async () => {
  const refused = await home.mcp(['deploy', directory, '--require-test', '0.9', '--json'])
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    code: 'CONFLICT',
    details: expect.stringContaining('cannot: '),
  })
})

test('with enough passing cases, deploy releases the server and prints one JSON document', async () => {
  const released = await home.mcp(['deploy', directory, '--require-test', '0.5', '--json'])
  expect(released.code).toBe(0)
  expect(JSON.parse(released.stdout)).toMatchObject({ status: 'deployed' })
})

test('the project file can require a pass rate, and --require-test overrides it', async () => {
  writeProject({ deploy: { requireTest: 1 } })
  expect((await home.mcp(['deploy', directory])).code).toBe(1)
  expect((await home.mcp(['deploy', directory, '--require-test', '0.5'])).code).toBe(0)
})

test('an invalid pass rate and a project without a suite are usage errors', async () => {
  const wrong = await home.mcp(['deploy', directory, '--require-test', '90'])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--require-test is "90"')])
  writeProject({ test: undefined })
  const without = await home.mcp(['deploy', directory, '--require-test', '1'])
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('requires a test suite')])
})

test('a required variable without a value is reported before the suite runs', async () => {
  writeProject({ env: [{ name: 'API_KEY', required: true }] })
  const refused = await home.mcp(['deploy', directory, '--env', 'production', '--require-test', '0.5'])
  expect([refused.code, refused.stdout]).toEqual([2, ''])
  expect(refused.stderr).toContain('weather needs the environment variable API_KEY in production.')
  expect(refused.stderr).toContain('mcp env set weather API_KEY --env production')
  const given = ['deploy', directory, '--env', 'production', '--require-test', '0.5', '--set', 'API_KEY=x']
  expect((await home.mcp(given)).code).toBe(0)
})
