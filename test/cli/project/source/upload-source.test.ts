import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHome } from '../../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../../helpers/daemon/mcp.ts'

let home: TestHome
beforeAll(async () => {
  home = await startHome()
})
afterAll(() => home.remove())

function makeProject(name: string): string {
  const directory = join(home.dir, 'projects', name)
  mkdirSync(join(directory, 'tools'), { recursive: true })
  writeFileSync(
    join(directory, 'tools', 'hello.ts'),
    `import { defineTool } from 'mcp-hosting/server'
export default defineTool({ description: 'Says hello', input: { type: 'object' }, handler: () => 'hello' })`,
  )
  return directory
}

async function projects(): Promise<{ id: string; name: string; sourceId: string; updatedAt: string }[]> {
  const { url } = home.discovery()!
  const headers = { authorization: `Bearer ${home.apiKey()}` }
  const page = (await (await fetch(`${url}/api/projects`, { headers })).json()) as { items: [] }
  return page.items
}

test('a build uploads the code once, to a project with the name of the server', async () => {
  const directory = makeProject('uploaded')
  const first = await home.json<{ project_id: string; status: string; tools: string[] }>(['build', directory])
  expect(first).toMatchObject({ status: 'ready', tools: ['hello'] })
  const [project] = await projects()
  expect(project).toMatchObject({ id: first.project_id, name: 'uploaded' })
  const second = await home.json<{ project_id: string }>(['build', directory])
  expect(second.project_id).toBe(first.project_id)
  // Another upload would have changed the record.
  expect(await projects()).toEqual([project])
})

test('a build uploads the source to the project that the project file names, and rejects an unknown one', async () => {
  const directory = makeProject('linked')
  const link = (project: string) =>
    writeFileSync(
      join(directory, 'mcp.config.json'),
      JSON.stringify({ name: 'linked', template: 'custom', project }),
    )
  const { id } = (await projects())[0]!
  link(id)
  expect(await home.json(['build', directory])).toMatchObject({ status: 'ready', project_id: id })
  link('prj_unknown')
  const ended = await home.mcp(['build', directory])
  expect(ended.code).toBe(4)
  expect(ended.stderr).toContain('prj_unknown')
})

test('a large source is only sent if the API does not have it', async () => {
  const directory = makeProject('large')
  writeFileSync(join(directory, 'data.bin'), randomBytes(3_000_000))
  const before = await home.json<{ project_id: string }>(['build', directory])
  writeFileSync(join(directory, 'note.txt'), 'changed')
  await home.json(['build', directory])
  const archives = () => readdirSync(join(home.dir, 'sources')).length
  const kept = archives()
  writeFileSync(join(directory, '.mcpignore'), 'note.txt\n.mcpignore\n')
  const ended = await home.mcp(['build', directory, '--json', '--debug'])
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'ready', project_id: before.project_id })
  expect(ended.stderr.match(/> PUT /g)).toHaveLength(1)
  expect(archives()).toBe(kept)
})
