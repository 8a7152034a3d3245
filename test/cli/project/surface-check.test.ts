import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
beforeAll(async () => {
  home = await startHome()
})
afterAll(() => home.remove())

function writeProject(required: string[]): string {
  const directory = join(home.dir, 'echo')
  mkdirSync(directory, { recursive: true })
  const properties = Object.fromEntries(required.map(name => [name, { type: 'string' }]))
  const tools = [
    { name: 'say', description: 'Says it', inputSchema: { type: 'object', properties, required } },
  ]
  writeFileSync(
    join(directory, 'mcp.config.json'),
    JSON.stringify({ name: 'echo', template: 'basic', tools }),
  )
  return directory
}

test('a breaking release is reported, rejected in production with exit code 5, and allowed by --allow-breaking', async () => {
  const directory = writeProject(['text'])
  await home.json(['deploy', directory, '--env', 'production'])
  await home.json(['deploy', directory])
  writeProject(['text', 'loud'])
  const development = await home.mcp(['deploy', directory])
  expect(development.code).toBe(0)
  expect(development.stdout).toContain('breaking    tools.say.inputSchema.loud is new and required')
  const refused = await home.mcp(['deploy', directory, '--env', 'production'])
  expect(refused.code).toBe(5)
  expect(refused.stderr).toContain('echo was not released to production because of a breaking change.')
  expect(refused.stderr).toContain(`mcp deploy ${directory} --env production --allow-breaking`)
  const flags = ['--env', 'production', '--require-test', '0.9', '-m', 'Say it louder', '--no-save']
  const tested = await home.mcp(['deploy', directory, ...flags])
  expect(tested.code).toBe(5)
  expect(tested.stderr).toContain(
    `mcp deploy ${directory} --env production --require-test 0.9 -m 'Say it louder' --no-save --allow-breaking`,
  )
  const withOptions = await home.mcp(['deploy', directory, '--env', 'production', '--set', 'TOKEN=hush'])
  expect(withOptions.code).toBe(5)
  expect(withOptions.stderr).toContain('Release it anyway: repeat the command with --allow-breaking')
  expect(withOptions.stderr).not.toContain('hush')
  const scripted = await home.mcp(['deploy', directory, '--env', 'production', '--json'])
  expect(scripted.code).toBe(5)
  expect(JSON.parse(scripted.stderr).error).toMatchObject({
    code: 'CONFLICT',
    details: 'tools.say.inputSchema.loud is new and required',
  })
  const released = await home.mcp(['deploy', directory, '--env', 'production', '--allow-breaking'])
  expect([released.code, released.stderr]).toEqual([0, ''])
})
