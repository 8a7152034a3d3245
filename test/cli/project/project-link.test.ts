import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProjectRecord } from '../../../src/shared/contract/projects/projects.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
let folder: string
let id: string

const CONFIG = {
  name: 'linked',
  template: 'basic',
  tools: [{ name: 'hi', description: 'Greets', inputSchema: {}, handler: { type: 'template', text: 'hi' } }],
}

beforeAll(async () => {
  home = await startHome()
  folder = mkdtempSync(join(tmpdir(), 'mcp-linked-'))
  mkdirSync(join(folder, 'docs', 'deep'), { recursive: true })
  writeFileSync(join(folder, 'mcp.config.json'), JSON.stringify(CONFIG))
  id = (await home.json<ProjectRecord>(['projects', 'create', 'weather'])).id
})

afterAll(async () => {
  await home.remove()
  rmSync(folder, { recursive: true, force: true })
})

const here = (args: string[]) => home.mcp(['projects', ...args], { cwd: folder })
const json = <T>(args: string[], cwd = folder) => home.json<T>(['projects', ...args], { cwd })

test('without a link, the project must be named', async () => {
  const { code, stderr } = await here(['show'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('this folder is not linked to a project')])
  expect(stderr).toContain('mcp projects link <project>')
})

test('commands in a linked folder and its subfolders need no project id', async () => {
  const { stdout } = await here(['link', 'weather'])
  expect(stdout).toContain(`Linked to weather (${id}) in .mcp/project.json`)
  expect(JSON.parse(readFileSync(join(folder, '.mcp/project.json'), 'utf8'))).toEqual({
    projectId: id,
    projectName: 'weather',
  })
  expect(readFileSync(join(folder, '.mcp/.gitignore'), 'utf8')).toBe('*\n')
  expect(await json(['show'], join(folder, 'docs', 'deep'))).toMatchObject({ id })
  expect(await json(['update', '--description', 'forecasts'])).toMatchObject({ id, description: 'forecasts' })
  const uploaded = await json<ProjectRecord>(['upload'])
  expect(uploaded).toMatchObject({ id, sourceId: expect.stringMatching(/^src_/) })
  expect((await json<ProjectRecord>(['upload', '.'])).sourceDigest).toBe(uploaded.sourceDigest)
  expect(await json(['build', '--no-wait'])).toMatchObject({ projectId: id })
  await home.json(['projects', 'create', 'other'])
  expect(await json(['builds'])).toMatchObject([{ projectId: id }])
})

test('the project link is not part of the uploaded source', async () => {
  const digest = (await json<ProjectRecord>(['show'])).sourceDigest
  await here(['unlink'])
  expect(existsSync(join(folder, '.mcp'))).toBe(false)
  expect((await json<ProjectRecord>(['upload', 'weather', '.'])).sourceDigest).toBe(digest)
  await here(['link', 'weather'])
})

test('a link survives a rename of the project', async () => {
  await here(['update', '--name', 'forecasts'])
  expect(await json(['show'])).toMatchObject({ id, name: 'forecasts' })
})

test('a given project overrides the link', async () => {
  expect(await json(['show', 'other'])).toMatchObject({ name: 'other' })
})

test('a link to a deleted project fails with instructions', async () => {
  await home.json(['projects', 'delete', '--yes'], { cwd: folder })
  const deleted = await here(['upload'])
  expect([deleted.code, deleted.stderr]).toEqual([
    4,
    expect.stringContaining(`forecasts (${id}) was deleted`),
  ])
  writeFileSync(join(folder, '.mcp/project.json'), JSON.stringify({ projectId: 'prj_00000000000000000000' }))
  const unknown = await here(['show'])
  expect([unknown.code, unknown.stderr]).toEqual([
    4,
    expect.stringContaining('does not exist at http://127.0.0.1'),
  ])
  expect(unknown.stderr).toContain('mcp projects link <project>')
  writeFileSync(join(folder, '.mcp/project.json'), 'nonsense')
  expect((await here(['show'])).stderr).toContain('is not a valid project link')
})
