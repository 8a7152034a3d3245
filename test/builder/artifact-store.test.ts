import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ArtifactStore } from '../../src/daemon/builder/artifact-store.ts'
import { buildArtifact } from '../../src/daemon/builder/build-artifact.ts'
import { parseBuildRequest } from '../../src/shared/validate-definitions.ts'

const built = buildArtifact(parseBuildRequest({ name: 'weather', template: 'basic' }))
const { artifact, digest, bytes } = built
let directory: string
let store: ArtifactStore

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcp-artifacts-'))
  store = new ArtifactStore(directory)
})
afterEach(() => rmSync(directory, { recursive: true }))

test('an artifact comes back as it was saved', () => {
  store.save(built)
  expect(store.load(digest)).toEqual(JSON.parse(JSON.stringify(artifact)))
})

test('saving the same artifact again leaves one file and no temporary one', () => {
  store.save(built)
  store.save(built)
  expect(readdirSync(directory)).toEqual([`${digest}.json`])
})

test('a damaged file is told apart from a missing one, and saving heals it', () => {
  expect(() => store.load(digest)).toThrow(/is missing/)
  store.save(built)
  writeFileSync(join(directory, `${digest}.json`), bytes.slice(0, -10))
  expect(() => store.load(digest)).toThrow(/is damaged/)
  expect(store.has(digest)).toBe(false)
  store.save(built)
  expect(store.load(digest).server.name).toBe('weather')
})

test('removing an artifact removes its file, and nothing when there is none', () => {
  store.save(built)
  store.remove(digest)
  store.remove(digest)
  expect(readdirSync(directory)).toEqual([])
})

test('a digest is never a path', () => {
  expect(() => store.load('../../etc/passwd')).toThrow(TypeError)
})
