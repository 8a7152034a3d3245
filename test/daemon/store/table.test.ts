import { expect, test } from 'vitest'
import { Database } from '../../../src/daemon/store/database.ts'
import { Table } from '../../../src/daemon/store/table.ts'

interface Example {
  id: string
  isOwner: boolean
  scopeNames: string[] | null
  idpUid2: number
  createdAt: string
}

const EXAMPLE: Example = {
  id: 'a',
  isOwner: true,
  scopeNames: ['x'],
  idpUid2: 7,
  createdAt: '2026-01-01T00:00:00.000Z',
}

function createTable(): { database: Database; table: Table<Example> } {
  const database = new Database(':memory:')
  database
    .prepare(
      'CREATE TABLE examples (id TEXT PRIMARY KEY, is_owner INTEGER, scope_names TEXT, idp_uid2 INTEGER, created_at TEXT)',
    )
    .run()
  return { database, table: new Table(database, 'examples', { json: ['scopeNames'], booleans: ['isOwner'] }) }
}

test('reads back the record that was inserted', () => {
  const { database, table } = createTable()
  table.insert(EXAMPLE)
  table.insert({ ...EXAMPLE, id: 'b', isOwner: false, scopeNames: null })
  expect(table.find('WHERE id = ?', ['a'])).toEqual(EXAMPLE)
  expect(table.list('ORDER BY id DESC').map(({ id }) => id)).toEqual(['b', 'a'])
  expect(table.find('WHERE id = ?', ['b'])).toMatchObject({ isOwner: false, scopeNames: null })
  const row = database.prepare('SELECT is_owner, scope_names FROM examples WHERE id = ?').get(['a'])
  expect(row).toEqual({ is_owner: 1, scope_names: '["x"]' })
})

test('updates only the named fields and reports whether the record exists', () => {
  const { table } = createTable()
  table.insert(EXAMPLE)
  expect(table.update({ ...EXAMPLE, isOwner: false, idpUid2: 8 }, ['isOwner'])).toBe(true)
  expect(table.find('WHERE id = ?', ['a'])).toEqual({ ...EXAMPLE, isOwner: false })
  expect(table.update({ ...EXAMPLE, id: 'c' }, ['isOwner'])).toBe(false)
})
