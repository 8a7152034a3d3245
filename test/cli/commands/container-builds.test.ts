import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContainerBuildRecord } from '../../../src/shared/contract/builds/container-builds.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

let home: TestHome
beforeAll(async () => {
  home = await startHome()
})
afterAll(() => home.remove())

test('stop accepts a prefix of a build id, and the log records the stop', async () => {
  const asked = Promise.withResolvers<void>()
  const silent = createServer(() => asked.resolve())
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  try {
    using source = createProjectFolder({
      'tools/one.js': "export default { description: 'One', handler: () => 1 }",
    })
    await home.json(['projects', 'create', 'slow'])
    await home.json(['projects', 'upload', 'slow', source.path])
    await home.json(['projects', 'update', 'slow', '--base-image', `127.0.0.1:${port}/base:1`])
    const { id } = await home.json<ContainerBuildRecord>(['projects', 'build', 'slow', '--no-wait'])
    await asked.promise
    const second = await home.mcp(['projects', 'build', 'slow'])
    expect([second.code, second.stderr]).toEqual([5, expect.stringContaining(`mcp stop ${id}`)])
    const stopped = await home.json<ContainerBuildRecord>(['stop', id.slice(0, 12)])
    expect(stopped).toMatchObject({ id, status: 'stopped', currentPhase: 'COMPLETED' })
    expect((await home.mcp(['logs', '-f', id])).stdout).toMatch(/COMPLETED\s+stopped\s*$/)
    expect((await home.mcp(['stop', id])).code).toBe(5)
  } finally {
    silent.closeAllConnections()
    silent.close()
  }
})

test('building an archived project fails and suggests the command that activates it', async () => {
  await home.json(['projects', 'create', 'aside'])
  await home.json(['projects', 'archive', 'aside'])
  const refused = await home.mcp(['projects', 'build', 'aside'])
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(/mcp projects archive prj_\w+ --undo/),
  ])
})
