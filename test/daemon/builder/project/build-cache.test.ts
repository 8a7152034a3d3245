import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BuildMemory } from '../../../../src/daemon/builder/project/build-memory.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'

const ARTIFACT = 'a'.repeat(64)
const request = { name: 'shop', template: 'custom' as const, source: 'src_1' }

test('finds the artifact of the same source and request, with any id of the source', () => {
  using folder = createProjectFolder()
  const memory = new BuildMemory(folder.path, () => '1.0')
  memory.remember('d1', request, ARTIFACT)
  expect(memory.find('d1', { ...request, source: 'src_2', project_id: 'prj_1' })).toBe(ARTIFACT)
})

test('finds nothing for another source, request or toolchain', () => {
  using folder = createProjectFolder()
  const memory = new BuildMemory(folder.path, () => '1.0')
  memory.remember('d1', request, ARTIFACT)
  expect(memory.find('d2', request)).toBeUndefined()
  expect(memory.find('d1', { ...request, title: 'Shop' })).toBeUndefined()
  expect(new BuildMemory(folder.path, () => '1.1').find('d1', request)).toBeUndefined()
})

test('finds nothing in a file that a power failure cut off', () => {
  using folder = createProjectFolder()
  const memory = new BuildMemory(folder.path, () => '1.0')
  memory.remember('d1', request, ARTIFACT)
  const [file] = readdirSync(folder.path)
  truncateSync(join(folder.path, file!), 10)
  expect(memory.find('d1', request)).toBeUndefined()
})

test('forgets artifacts that no longer exist', () => {
  using folder = createProjectFolder()
  const memory = new BuildMemory(folder.path, () => '1.0')
  memory.remember('d1', request, ARTIFACT)
  memory.remember('d2', request, 'b'.repeat(64))
  memory.prune(digest => digest === ARTIFACT)
  expect(readdirSync(folder.path)).toHaveLength(1)
  expect(memory.find('d1', request)).toBe(ARTIFACT)
})
