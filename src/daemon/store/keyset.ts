import { HostingError } from '../../shared/errors.ts'
import type { Database } from './database.ts'

/** Where a page starts: after this record, newest first. Stays right while records are added or removed. */
export interface Position {
  createdAt: string
  id: string
}

export interface KeysetQuery {
  table: string
  /** Column → value; undefined ones are left out. */
  filters: Record<string, string | undefined>
  /** A condition on every record; text, so that an index of the same condition serves it. */
  only?: string
  limit: number
  cursor: string | undefined
}

/** One page by (created_at, id), newest first, and the cursor of the next one; null on the last page. */
export function selectPage<Row extends { created_at: string; id: string }>(
  database: Database,
  { table, filters, only, limit, cursor }: KeysetQuery,
): { rows: Row[]; nextCursor: string | null } {
  const after = cursor === undefined ? undefined : decodeCursor(cursor)
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const conditions = given.map(([column]) => `${column} = @${column}`)
  if (only) conditions.push(only)
  if (after) conditions.push('(created_at, id) < (@createdAt, @id)')
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const rows = database
    .prepare<Row>(`SELECT * FROM ${table} ${where} ORDER BY created_at DESC, id DESC LIMIT @limit`)
    .all({ ...Object.fromEntries(given), ...after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, nextCursor: rows.length > limit && last ? encodeCursor(last) : null }
}

function encodeCursor(row: { created_at: string; id: string }): string {
  return Buffer.from(JSON.stringify([row.created_at, row.id])).toString('base64url')
}

/** Throws INVALID_REQUEST for what no list gave out. */
function decodeCursor(cursor: string): Position {
  try {
    const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof createdAt === 'string' && typeof id === 'string') return { createdAt, id }
  } catch {
    // Not JSON: told below, like JSON of another shape.
  }
  throw new HostingError(
    'INVALID_REQUEST',
    `The cursor "${cursor}" is not one that a list gave out; start without a cursor.`,
  )
}
