import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FileState } from '../../../src/instance/standalone/file-state.ts'
import { KeyValueStore } from '../../../src/sdk/store/key-value-store.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-export-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function openStore(path = join(folder, 'data', 'store.ndjson')): KeyValueStore {
  const file = new FileState(path)
  return new KeyValueStore({ run: async operation => (await file.run([operation]))[0]! })
}

test('an exported server finds its stored entries after a restart and ignores an unfinished line', async () => {
  const store = openStore()
  await Promise.all([store.set('a', 1), store.set('b', { c: 'é' }), store.increment('n', 2)])
  await store.delete('a')
  appendFileSync(join(folder, 'data', 'store.ndjson'), '[{"scope":"","key":"half')
  const reopened = openStore()
  expect(await reopened.increment('n')).toBe(3)
  expect(await openStore().list()).toEqual([
    { key: 'b', value: { c: 'é' } },
    { key: 'n', value: 3 },
  ])
})

test('reports a store whose folder cannot be written to as unavailable', async () => {
  const store = openStore(join('/dev/null', 'store.ndjson'))
  await expect(store.set('a', 1)).rejects.toMatchObject({ name: 'StoreError', code: 'UNAVAILABLE' })
})
