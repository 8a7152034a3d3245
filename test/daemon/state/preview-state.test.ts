import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildFolder, deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createProjectFolder, type ProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { runOnStore, storeTool } from '../../helpers/daemon/store-tool.ts'

const COPY = { preview: { copy_state_from: 'production' } }

let daemon: TestDaemon
let project: ProjectFolder
beforeAll(async () => {
  daemon = await startTestDaemon()
  project = createProjectFolder({ 'tools/run.ts': storeTool(1) })
})
afterAll(async () => {
  await daemon.close()
  project[Symbol.dispose]()
})

const deploy = (name: string) => deployFolder(daemon, name, project.path)
const preview = async (name: string, request: object = COPY) =>
  (await buildFolder(daemon, name, project.path, request)).url
const folder = (name: string, slot: string) => join(daemon.home.state, name, slot)

async function entries(name: string, slot: string) {
  const { body } = await daemon.api('GET', `/v1/servers/${name}/store/${slot}`)
  return body.data.items.map(({ key, user, value }: { key: string; user: string; value: unknown }) => [
    key,
    user,
    value,
  ])
}

test('a preview starts with a separate copy of the shared entries and files', async () => {
  const production = (await deploy('notes')).url
  const set = [
    { key: 'shared', value: 1 },
    { key: 'private', user: 'github|42', value: 2 },
    { key: 'over', value: 3, expires_at: '2020-01-01T00:00:00Z' },
  ]
  await daemon.api('PATCH', '/v1/servers/notes/store/production', { body: { set } })
  const files = join(folder('notes', 'production'), 'files')
  mkdirSync(join(files, 'sub'), { recursive: true })
  writeFileSync(join(files, 'sub', 'app.txt'), 'original')
  symlinkSync('/etc/hostname', join(files, 'link'))

  const url = await preview('notes')
  expect(await entries('notes', 'preview')).toEqual([['shared', null, 1]])
  const { body } = await daemon.api('GET', '/v1/servers/notes/store/preview')
  expect(body.data.usage).toMatchObject({ entries: 1, bytes: 7 })
  const copied = join(folder('notes', 'preview'), 'files')
  expect(readdirSync(copied)).toEqual(['sub'])
  writeFileSync(join(copied, 'sub', 'app.txt'), 'changed')
  expect(readFileSync(join(files, 'sub', 'app.txt'), 'utf8')).toBe('original')
  await runOnStore(url, 'increment', ['shared'])
  expect((await runOnStore(production, 'get', ['shared'])).result).toBe(1)
  await runOnStore(production, 'set', ['later', true])

  project.write({ 'tools/run.ts': storeTool(2) })
  expect(await runOnStore(await preview('notes'), 'get', ['shared'])).toEqual({ version: 2, result: 2 })
  expect((await runOnStore(url, 'get', ['later'])).result).toBeNull()
})

test('a copy that is made during writes contains all of a transaction or none of it', async () => {
  const production = (await deploy('accounts')).url
  await runOnStore(production, 'transfer')
  const writes = Array.from({ length: 40 }, () => runOnStore(production, 'transfer'))
  const url = await preview('accounts')
  await Promise.all(writes)
  const { result } = await runOnStore(url, 'list', [''])
  const [from, to] = result.map(({ value }: { value: number }) => value)
  expect(to).toBeGreaterThan(0)
  expect(from + to).toBe(0)
})

test('a preview starts empty by default, and if there is no data to copy', async () => {
  const production = (await deploy('fresh')).url
  expect((await runOnStore(await preview('fresh'), 'list', [''])).result).toEqual([])
  await runOnStore(production, 'set', ['a', 1])
  expect((await runOnStore(await preview('fresh', {}), 'list', [''])).result).toEqual([])
})

test('the build fails when the data cannot be copied, and leaves no partial copy', async () => {
  mkdirSync(folder('broken', 'production'), { recursive: true })
  writeFileSync(join(folder('broken', 'production'), 'store.db'), 'no database'.repeat(100))
  await expect(preview('broken')).rejects.toThrow(
    /"broken\\?" in production could not be copied to its preview/,
  )
  expect(existsSync(folder('broken', 'preview'))).toBe(false)
  expect(readdirSync(daemon.home.unfinishedState)).toEqual([])
})
