import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

const inputSchema = { type: 'object', properties: {} }
const PROJECT = {
  name: 'desk',
  template: 'advanced',
  tools: [
    {
      name: 'book',
      description: 'Books a desk',
      inputSchema,
      handler: { type: 'http', method: 'POST', url: 'https://desk.example.com' },
    },
  ],
  prompts: [{ name: 'plan', description: 'Plans a day', template: 'Plan a day' }],
  env: [{ name: 'CITY' }],
}

let home: TestHome
beforeAll(async () => {
  home = await startHome()
  writeFileSync(join(home.dir, 'mcp.config.json'), JSON.stringify(PROJECT))
})
afterAll(() => home.remove())

test('up counts what a server offers and says why it calls no tool', async () => {
  const { stdout } = await home.mcp(['up', home.dir, '--set', 'CITY=Oslo'])
  expect(stdout).toContain('Listed its 1 tool: book\n')
  expect(stdout).toContain('It also has 1 prompt.\n')
  expect(stdout).toContain(
    'No tool was called, because none is marked read-only (annotations.readOnlyHint).\n',
  )
})

test('mcp up with the name of a server deploys its newest build again', async () => {
  const again = await home.json<{ mcp_id: string; deployment_id: string }>(['up', 'desk'])
  const { deployments } = await home.json<{ deployments: { deployment_id: string; mcp_id: string }[] }>([
    'list',
  ])
  expect(deployments[0]).toMatchObject({ deployment_id: again.deployment_id, mcp_id: again.mcp_id })
  const { code, stderr } = await home.mcp(['up', 'desc'])
  expect(code).toBe(4)
  expect(stderr).toContain('Did you mean "desk"?')
})

test('status shows version, sign-in, what the server offers and the names of its variables', async () => {
  const { stdout } = await home.mcp(['status', 'desk'])
  expect(stdout).toMatch(/^ {2}version +2, /m)
  expect(stdout).toMatch(/^ {2}sign-in +none$/m)
  expect(stdout).toMatch(/^ {2}tools +book$/m)
  expect(stdout).toMatch(/^ {2}prompts +plan$/m)
  expect(stdout).toMatch(/^ {2}variables +CITY$/m)
})

test('up names the server in the text about its deployment and prints each warning once', async () => {
  const file = join(home.dir, 'small.config.json')
  const deploy = { development: { limits: { memory_mb: 128 } } }
  writeFileSync(file, JSON.stringify({ ...PROJECT, name: 'small', deploy }))
  const { stdout, stderr } = await home.mcp(['up', file])
  expect(stdout).toMatch(/^Deployed small to development in /m)
  expect(stderr.match(/config\.limits\.memory_mb is not applied/g)).toHaveLength(1)
  const { warnings } = await home.json<{ warnings: string[] }>(['up', file])
  expect(warnings).toEqual([expect.stringContaining('config.limits.memory_mb')])
})
