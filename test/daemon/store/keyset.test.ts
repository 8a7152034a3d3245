import { describe, expect, test } from 'vitest'
import { Database } from '../../../src/daemon/store/database.ts'
import { selectPage } from '../../../src/daemon/store/keyset.ts'

const database = new Database(':memory:')

interface Row {
  id: string
  created_at: string
}

/** Ids of all pages in order. */
function readAll(limit: number, filters: Record<string, string | undefined> = {}): string[] {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = selectPage<Row>(database, { table: 'builds', filters, limit, cursor })
    ids.push(...page.rows.map(({ id }) => id))
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return ids
}

function insert(id: string, createdAt: string, name = 'a'): void {
  database.prepare('INSERT INTO servers VALUES (?, NULL, ?) ON CONFLICT DO NOTHING').run([name, ''])
  database
    .prepare(
      `INSERT INTO builds (id, name, template, status, tools, resources, prompts, env, created_at)
       VALUES (?, ?, 'basic', 'ready', '[]', '[]', '[]', '[]', ?)`,
    )
    .run([id, name, createdAt])
}

test('pages of any size return every record once, newest first, even with equal timestamps', () => {
  for (let i = 0; i < 10; i++)
    insert(`b${i}`, `2026-01-01T00:00:0${Math.floor(i / 4)}.000Z`, i % 2 ? 'odd' : 'even')
  const all = ['b9', 'b8', 'b7', 'b6', 'b5', 'b4', 'b3', 'b2', 'b1', 'b0']
  for (const limit of [1, 3, 10, 100]) expect(readAll(limit)).toEqual(all)
  expect(readAll(2, { name: 'odd', status: undefined })).toEqual(['b9', 'b7', 'b5', 'b3', 'b1'])
})

test('a cursor stays valid while records are added and removed', () => {
  const first = selectPage<Row>(database, { table: 'builds', filters: {}, limit: 3, cursor: undefined })
  insert('b99', '2026-02-01T00:00:00.000Z')
  database.prepare('DELETE FROM builds WHERE id = ?').run([first.rows.at(-1)!.id])
  const next = selectPage<Row>(database, {
    table: 'builds',
    filters: {},
    limit: 3,
    cursor: first.nextCursor!,
  })
  expect(next.rows.map(({ id }) => id)).toEqual(['b6', 'b5', 'b4'])
})

test('rejects an invalid cursor', () => {
  for (const cursor of [
    'x',
    '',
    Buffer.from('[1,2]').toString('base64url'),
    Buffer.from('{}').toString('base64url'),
  ])
    expect(() => selectPage(database, { table: 'builds', filters: {}, limit: 1, cursor })).toThrow(
      /is not a page token of this list/,
    )
})

describe('indexes for every combination of filters', () => {
  const combinations = (names: string[]) =>
    Array.from({ length: 2 ** names.length }, (_, bits) =>
      names.filter((_name, index) => bits & (1 << index)),
    )
  const cases = [
    ...combinations(['name', 'status']).map(filters => ['builds', filters] as const),
    ...combinations(['name', 'environment', 'status']).map(filters => ['deployments', filters] as const),
    ['api_keys', []] as const,
  ]

  test.each(cases)('reads a page of %s with the filters %j from an index', (table, filters) => {
    for (const after of [false, true]) {
      const conditions = [
        ...filters.map(name => `${name} = @${name}`),
        ...(after ? ['(created_at, id) < (@at, @id)'] : []),
      ]
      const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
      const plan = database
        .prepare<{ detail: string }>(
          `EXPLAIN QUERY PLAN SELECT * FROM ${table} ${where} ORDER BY created_at DESC, id DESC LIMIT 10`,
        )
        .all(Object.fromEntries([...filters, ...(after ? ['at', 'id'] : [])].map(name => [name, 'x'])))
        .map(({ detail }) => detail)
        .join('; ')
      expect(plan).not.toMatch(/TEMP B-TREE/)
      expect(plan).toMatch(new RegExp(`USING INDEX.*${filters.map(name => `${name}=\\?`).join('.*')}`))
    }
  })
})
