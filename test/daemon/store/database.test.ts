import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Database } from '../../../src/daemon/store/database.ts'
import { toStoreError } from '../../../src/daemon/store/database-errors.ts'
import type { HostingError } from '../../../src/shared/errors.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-store-'))
  path = join(folder, 'daemon.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('opening', () => {
  test('opening creates a database with the schema, readable by its owner only', () => {
    const database = new Database(path)
    expect(database.prepare('SELECT count(*) AS n FROM deployments').get()).toEqual({ n: 0 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    database.close()
  })

  test('opening keeps the content of an existing database', () => {
    const first = new Database(path)
    first.prepare("INSERT INTO servers VALUES ('weather', NULL, '2026-01-01')").run()
    first.close()
    const second = new Database(path)
    expect(second.prepare('SELECT name FROM servers').all()).toEqual([{ name: 'weather' }])
    second.close()
  })

  test('rejects a file from a newer version and names its schema', () => {
    new Database(path).close()
    const newer = new BetterSqlite3(path)
    newer.pragma('user_version = 999')
    newer.close()
    expect(open()).toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(/newer.*schema 999/) })
  })

  test('reports a file that is not a database as damaged', () => {
    writeFileSync(path, 'not a database at all, but long enough to be looked at as one'.repeat(40))
    expect(open()).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/is damaged \(SQLITE_NOTADB\)/),
    })
  })

  test('reports a folder that cannot be created', () => {
    writeFileSync(join(folder, 'file'), '')
    path = join(folder, 'file', 'daemon.db')
    expect(() => new Database(path)).toThrow(/cannot be written \(EEXIST\)/)
  })
})

describe('errors while running', () => {
  test('reports a full disk and changes nothing', () => {
    const database = new Database(path)
    const pages = database.prepare<{ page_count: number }>('PRAGMA page_count').get()!.page_count
    database.prepare(`PRAGMA max_page_count = ${pages}`).get()
    const fill = () =>
      database.transaction(() => {
        for (let i = 0; i < 1000; i++)
          database
            .prepare('INSERT INTO servers VALUES (?, NULL, ?)')
            .run([`server-${i}-${'x'.repeat(500)}`, ''])
      })
    expect(fill).toThrow(/disk that holds .* is full\. Nothing was changed/)
    expect(database.prepare('SELECT count(*) AS n FROM servers').get()).toEqual({ n: 0 })
    database.close()
  })

  test('rejects writes to a read-only database', () => {
    const database = new Database(path)
    database.prepare('PRAGMA query_only = 1').run()
    const write = () => database.prepare("INSERT INTO servers VALUES ('a', NULL, '')").run()
    expect(write).toThrow(/cannot be written \(SQLITE_READONLY\)/)
    database.close()
  })

  test('translates SQLite result codes into messages', () => {
    const sentence = (code: string) =>
      (toStoreError(Object.assign(new Error('raw'), { code }), '/home/daemon.db') as HostingError).message
    expect(sentence('SQLITE_CORRUPT_INDEX')).toMatch(/damaged/)
    expect(sentence('SQLITE_IOERR_WRITE')).toMatch(/disk of the database .* failed/)
    expect(sentence('SQLITE_BUSY')).toMatch(/in use by another program/)
    expect(sentence('EROFS')).toMatch(/cannot be written/)
    expect(sentence('SQLITE_CONSTRAINT_UNIQUE')).toMatch(/changed the same record first/)
  })

  test('errors that do not come from SQLite are returned unchanged', () => {
    const error = new TypeError('ours')
    expect(toStoreError(error, path)).toBe(error)
  })
})

describe('transactions', () => {
  test('a failed nested transaction rolls back the outer one', () => {
    const database = new Database(':memory:')
    const insert = (name: string) =>
      database.prepare('INSERT INTO servers VALUES (?, NULL, ?)').run([name, ''])
    expect(() =>
      database.transaction(() => {
        insert('a')
        database.transaction(() => insert('a'))
      }),
    ).toThrow(/changed the same record first/)
    expect(database.prepare('SELECT count(*) AS n FROM servers').get()).toEqual({ n: 0 })
    database.close()
  })
})

function open(): unknown {
  try {
    new Database(path).close()
  } catch (error) {
    return error
  }
  return undefined
}
