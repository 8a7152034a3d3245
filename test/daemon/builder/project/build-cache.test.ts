import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BuildCache } from '../../../../src/daemon/builder/project/build-cache.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'

const ARTIFACT = 'a'.repeat(64)
const request = { name: 'shop', template: 'custom' as const, source: 'src_1' }

test('the build cache finds the artifact for the same source and request, whatever the id of the source', () => {
  using folder = createProjectFolder()
  const cache = new BuildCache(folder.path, () => '1.0')
  cache.remember('d1', request, ARTIFACT)
  expect(cache.find('d1', { ...request, source: 'src_2', project_id: 'prj_1' })).toBe(ARTIFACT)
})

test('the build cache finds nothing for another source, request or toolchain', () => {
  using folder = createProjectFolder()
  const cache = new BuildCache(folder.path, () => '1.0')
  cache.remember('d1', request, ARTIFACT)
  expect(cache.find('d2', request)).toBeUndefined()
  expect(cache.find('d1', { ...request, title: 'Shop' })).toBeUndefined()
  expect(new BuildCache(folder.path, () => '1.1').find('d1', request)).toBeUndefined()
})

test('the build cache ignores a file truncated by a power failure', () => {
  using folder = createProjectFolder()
  const cache = new BuildCache(folder.path, () => '1.0')
  cache.remember('d1', request, ARTIFACT)
  const [file] = readdirSync(folder.path)
  truncateSync(join(folder.path, file!), 10)
  expect(cache.find('d1', request)).toBeUndefined()
})

test('pruning the build cache removes a file with a truncated digest without looking for its artifact', () => {
  using folder = createProjectFolder()
  const cache = new BuildCache(folder.path, () => '1.0')
  cache.remember('d1', request, ARTIFACT)
  cache.remember('d2', request, 'abc')
  const asked: string[] = []
  cache.prune(digest => asked.push(digest) > 0)
  expect(asked).toEqual([ARTIFACT])
  expect(readdirSync(folder.path)).toHaveLength(1)
})

test('the build cache forgets artifacts that no longer exist', () => {
  using folder = createProjectFolder()
  const cache = new BuildCache(folder.path, () => '1.0')
  cache.remember('d1', request, ARTIFACT)
  cache.remember('d2', request, 'b'.repeat(64))
  cache.prune(digest => digest === ARTIFACT)
  expect(readdirSync(folder.path)).toHaveLength(1)
  expect(cache.find('d1', request)).toBe(ARTIFACT)
})
