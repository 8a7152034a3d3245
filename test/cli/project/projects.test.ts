import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProjectRecord } from '../../../src/shared/contract/projects/projects.ts'
import { tarGz, zip } from '../../helpers/archives.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'
import { startContractStub } from '../../helpers/services/contract-stub.ts'

let home: TestHome
beforeAll(async () => {
  home = await startHome()
})
afterAll(() => home.remove())

const projects = (...args: string[]) => home.json<ProjectRecord>(['projects', ...args])

test('a project can be created, shown, updated, archived, activated and deleted', async () => {
  const made = await projects('create', 'weather', '--description', 'Forecasts')
  expect(made).toMatchObject({ name: 'weather', description: 'Forecasts', status: 'active' })
  expect(await projects('show', made.id.slice(0, 10))).toEqual(made)
  const changed = await projects(
    'update',
    'weather',
    '--name',
    'forecasts',
    '--description',
    '',
    '--framework',
    'none',
  )
  expect(changed).toMatchObject({ id: made.id, name: 'forecasts', description: null, framework: 'none' })
  expect((await projects('archive', 'forecasts')).status).toBe('archived')
  expect((await projects('archive', 'forecasts', '--undo')).status).toBe('active')
  const asked = await home.mcp(['projects', 'delete', 'forecasts'])
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^Error: Deleting project forecasts \(prj_\w+\) permanently needs confirmation\. Repeat with --yes\.\n/,
    ),
  ])
  expect((await projects('delete', 'forecasts', '--yes')).status).toBe('deleted')
  expect(await home.json(['projects', 'list'])).toEqual([])
  expect((await home.mcp(['projects', 'show', 'forecasts'])).code).toBe(4)
  expect((await home.mcp(['projects', 'archive', made.id])).code).toBe(5)
})

test('rejects a second project with the same name and suggests the command that shows the first', async () => {
  const { id } = await projects('create', 'only')
  await projects('create', 'another')
  for (const args of [
    ['create', 'only'],
    ['update', 'another', '--name', 'only'],
  ]) {
    const { code, stderr } = await home.mcp(['projects', ...args])
    expect([code, stderr]).toEqual([5, expect.stringContaining(id)])
    expect(stderr).toContain('mcp projects show only')
  }
  expect(await projects('update', 'only', '--name', 'only')).toMatchObject({ id })
})

test('an archive is uploaded unchanged and built, and other files are rejected', async () => {
  const content = "export default { kind: 'tool', description: 'One', handler: () => 1 }"
  const archives = {
    'one.zip': zip([
      { name: 'one/package.json', content: '{"name":"one"}' },
      { name: 'one/tools/one.js', content },
    ]),
    'one.tgz': tarGz([{ name: 'tools/one.js', content }]),
  }
  await projects('create', 'archived')
  for (const [name, bytes] of Object.entries(archives)) {
    const file = join(home.dir, name)
    writeFileSync(file, bytes)
    const uploaded = await projects('upload', 'archived', file)
    expect(uploaded.sourceDigest).toBe(createHash('sha256').update(bytes).digest('hex'))
    const config = join(home.dir, 'mcp.config.json')
    writeFileSync(config, JSON.stringify({ name: 'archived', template: 'custom', source: uploaded.sourceId }))
    expect(await home.json(['build', config])).toMatchObject({ status: 'ready', tools: ['one'] })
  }
  writeFileSync(join(home.dir, 'notes.txt'), '')
  const refused = await home.mcp(['projects', 'upload', 'archived', join(home.dir, 'notes.txt')])
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('notes.txt is not a source: expected'),
  ])
  expect((await home.mcp(['projects', 'upload', 'archived', '/nowhere'])).stderr).toContain('does not exist')
})

test('a folder can be uploaded as the source of a project', async () => {
  const directory = join(home.dir, 'folder')
  mkdirSync(directory)
  writeFileSync(join(directory, 'server.py'), 'print()')
  await projects('create', 'python')
  const uploaded = await projects('upload', 'python', directory)
  expect(uploaded).toMatchObject({
    sourceId: expect.stringMatching(/^src_/),
    storageLocation: expect.stringMatching(/^file:/),
  })
  const listed = await home.mcp(['projects', 'list'])
  expect(listed.stdout).toMatch(/python +active +uploaded/)
  const deleted = await home.mcp(['projects', 'delete', 'python', '--yes'])
  expect(deleted.stdout).toMatch(/^python {2}deleted\n/)
  expect(deleted.stdout).not.toMatch(/source|location|file:/)
})

test('an ambiguous name requires an id', async () => {
  await projects('create', 'twice')
  const { id } = await projects('create', 'second')
  // The service interface accepts any name in an update.
  await fetch(`${home.discovery()!.url}/api/projects/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${home.apiKey()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'twice' }),
  })
  const ended = await home.mcp(['projects', 'show', 'twice'])
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('matches 2 projects')])
})

test('updates a project through an API that implements only the contract', async () => {
  const stub = await startContractStub({
    intercept(request, response) {
      if (request.method !== 'PATCH' || request.url !== '/api/projects/42') return false
      response.setHeader('content-type', 'application/json').end('{"name":"hosted"}')
      return true
    },
  })
  const env = { ...home.env, MCP_API_URL: stub.url, MCP_API_KEY: stub.key }
  const ended = await home.mcp(['projects', 'update', '42', '--name', 'hosted', '--json'], { env })
  await stub.close()
  expect([ended.code, ended.stdout]).toEqual([0, '{"name":"hosted"}\n'])
  expect(stub.requests.at(-1)).toMatchObject({ method: 'PATCH', body: { name: 'hosted' } })
})
