import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildRecord } from '../../../src/shared/contract/builds/builds.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
beforeAll(async () => {
  home = await startHome()
})
afterAll(() => home.remove())

test('prune lists each item with age and size, and without a terminal removes items only with --yes', async () => {
  const build = ['build', '--command', 'no-such-command', '--name', 'missing']
  expect((await home.mcp(build)).code).toBe(1)
  const { stdout: listed } = await home.mcp(['prune', '--dry-run'])
  expect(listed).toMatch(
    /^KIND +ID +SERVER +REASON +AGE +SIZE\nbuild +mcp_\w{8} +missing +failed +\d+ s +\d+ B\n/,
  )
  expect(listed).toMatch(/\n1 item, \d+ B\n\nRemove these items: +mcp prune\n$/)
  expect((await home.mcp(['prune', '--older-than', '1h', '--yes'])).stdout).toBe('Nothing to remove.\n')
  const asked = await home.mcp(['prune'])
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')])
  expect(await home.json(['prune', '--yes'])).toMatchObject({ items: [{ name: 'missing' }], kept: [] })
  const { builds } = await home.json<{ builds: BuildRecord[] }>(['list'])
  expect([builds, await home.json(['prune', '--dry-run'])]).toEqual([[], { items: [], bytes: 0 }])
})
