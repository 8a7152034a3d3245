import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ArtifactStore } from '../../../src/daemon/builder/artifact-store.ts'
import { buildArtifact } from '../../../src/daemon/builder/build-artifact.ts'
import { FileStorage } from '../../../src/daemon/builder/storage/file-storage.ts'
import { parseBuildRequest } from '../../../src/shared/validation/validate-definitions.ts'

const built = buildArtifact(parseBuildRequest({ name: 'weather', template: 'basic' }))
const { artifact, digest, bytes } = built
let home: string
let directory: string
let store: ArtifactStore

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcp-artifacts-'))
  directory = join(home, 'artifacts')
  store = new ArtifactStore(directory, new FileStorage(home))
})
afterEach(() => rmSync(home, { recursive: true }))

test('loads an artifact as it was saved', () => {
  store.save(built)
  expect(store.load(digest)).toEqual(JSON.parse(JSON.stringify(artifact)))
})

test('saving the same artifact again leaves one file and no temporary file', () => {
  store.save(built)
  store.save(built)
  expect(readdirSync(directory)).toEqual([`${digest}.json`])
})

test('distinguishes damaged from missing files, and saving repairs them', () => {
  expect(() => store.load(digest)).toThrow(/is missing/)
  store.save(built)
  writeFileSync(join(directory, `${digest}.json`), bytes.slice(0, -10))
  expect(() => store.load(digest)).toThrow(/is damaged/)
  expect(store.has(digest)).toBe(false)
  store.save(built)
  expect(store.load(digest).server.name).toBe('weather')
})

test('removes the files of an artifact unless it is in use again', async () => {
  store.save(built)
  await store.removeUnless(() => true, digest)
  expect(store.has(digest)).toBe(true)
  await store.removeUnless(() => false, digest)
  await store.removeUnless(() => false, digest)
  expect(readdirSync(directory)).toEqual([])
})

test('rejects a path instead of a digest', () => {
  expect(() => store.load('../../etc/passwd')).toThrow(TypeError)
})
