import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../src/sdk/oauth/storage/memory.ts'
import { sqliteStorage } from '../../../src/sdk/oauth/storage/sqlite.ts'
import type { OAuthStorage } from '../../../src/sdk/oauth/storage/storage.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-storage-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  return join(folder, 'oauth.db')
}

function openSqlite(path: string, now?: () => number) {
  const storage = sqliteStorage({ path, now })
  closers.unshift(() => storage.close())
  return storage
}

const storages: Record<string, (now: () => number) => OAuthStorage> = {
  memory: now => memoryStorage({ now }),
  SQLite: now => openSqlite(temporaryFile(), now),
}

describe.each(Object.entries(storages))('storage in %s', (_name, create) => {
  const clock = { time: 1000 }
  const open = () => {
    clock.time = 1000
    return create(() => clock.time)
  }

  test('returns a record only by its kind and key', async () => {
    const storage = open()
    await storage.put('client', 'a', { name: 'A', list: [1, null] })
    expect(await storage.get('client', 'a')).toEqual({ name: 'A', list: [1, null] })
    expect(await storage.get('client', 'b')).toBeUndefined()
    expect(await storage.get('grant', 'a')).toBeUndefined()
  })

  test('keeps a copy that callers cannot change', async () => {
    const storage = open()
    const value = { uris: ['x'] }
    await storage.put('client', 'a', value)
    value.uris.push('y')
    const read = await storage.get<typeof value>('client', 'a')
    read!.uris.push('z')
    expect(await storage.get('client', 'a')).toEqual({ uris: ['x'] })
  })

  test('replaces a record and its expiry', async () => {
    const storage = open()
    await storage.put('grant', 'a', 1, 1010)
    await storage.put('grant', 'a', 2)
    clock.time = 5000
    expect(await storage.get('grant', 'a')).toBe(2)
  })

  test('returns no expired records', async () => {
    const storage = open()
    await storage.put('code', 'a', 1, 1010)
    clock.time = 1009
    expect(await storage.get('code', 'a')).toBe(1)
    clock.time = 1010
    expect(await storage.get('code', 'a')).toBeUndefined()
    expect(await storage.count('code')).toBe(0)
  })

  test('inserts a record only once until it expires', async () => {
    const storage = open()
    expect(await storage.insert('spent', 'a', 1, 1010)).toBe(true)
    expect(await storage.insert('spent', 'a', 2, 1010)).toBe(false)
    expect(await storage.get('spent', 'a')).toBe(1)
    clock.time = 1010
    expect(await storage.insert('spent', 'a', 3)).toBe(true)
    expect(await storage.insert('spent', 'a', 4)).toBe(false)
    expect(await storage.get('spent', 'a')).toBe(3)
  })

  test('of many concurrent inserts, exactly one succeeds', async () => {
    const storage = open()
    const wins = await Promise.all(
      Array.from({ length: 20 }, (_, index) => storage.insert('spent', 'a', index)),
    )
    expect(wins.filter(Boolean)).toHaveLength(1)
  })

  test('deletes a record, and does nothing if it does not exist', async () => {
    const storage = open()
    await storage.put('client', 'a', 1)
    await storage.put('client', 'b', 2)
    await storage.delete('client', 'a')
    await storage.delete('client', 'never')
    expect(await storage.get('client', 'a')).toBeUndefined()
    expect(await storage.count('client')).toBe(1)
  })

  test('supports keys with any characters', async () => {
    const storage = open()
    const key = "https://x.example/ü?a=1&b='; DROP TABLE oauth_records; --"
    await storage.put('client', key, 1)
    expect(await storage.get('client', key)).toBe(1)
  })
})

test('memoryStorage rejects records above the limit until others expire', async () => {
  let time = 0
  const storage = memoryStorage({ maxRecords: 2, now: () => time })
  await storage.put('code', 'a', 1, 10)
  await storage.put('client', 'b', 1)
  await expect(storage.put('client', 'c', 1)).rejects.toThrow('maximum of 2 records')
  time = 10
  await storage.put('client', 'c', 1)
  expect(await storage.get('client', 'c')).toBe(1)
})

test('two SQLite storages on one file share records, and only one of two inserts succeeds', async () => {
  const path = temporaryFile()
  const [left, right] = [openSqlite(path), openSqlite(path)]
  await left.put('client', 'a', 'kept')
  expect(await right.get('client', 'a')).toBe('kept')
  expect(await right.insert('spent', 'x', 1)).toBe(true)
  expect(await left.insert('spent', 'x', 2)).toBe(false)
})

test('SQLite writes queued records on close, in a file that only its owner can read', async () => {
  const path = temporaryFile()
  const storage = sqliteStorage({ path })
  const written = storage.put('client', 'a', 1)
  storage.close()
  await written
  expect(await openSqlite(path).get('client', 'a')).toBe(1)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('SQLite deletes expired records', async () => {
  let time = 0
  const path = temporaryFile()
  const storage = openSqlite(path, () => time)
  await storage.put('code', 'old', 1, 10)
  time = 20
  for (let write = 0; write < 500; write++) await storage.put('client', 'a', write)
  time = 0
  expect(await storage.get('code', 'old')).toBeUndefined()
})
