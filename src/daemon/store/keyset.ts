import { decodePageToken, encodePageToken, type Position } from '../../shared/contract/page-token.ts'
import { HostingError } from '../../shared/errors.ts'
import type { Database } from './database.ts'

export interface KeysetQuery {
  table: string
  /** Values by column. Undefined values are omitted. */
  filters: Record<string, string | undefined>
  /** A condition on every record. It is SQL text, so that a partial index with the same condition applies. */
  only?: string
  limit: number
  cursor: string | undefined
}

/** One page by (created_at, id), newest first, and the cursor of the next page, which is null on the last page. */
export function selectPage<Row extends { created_at: string; id: string }>(
  database: Database,
  { table, filters, only, limit, cursor }: KeysetQuery,
): { rows: Row[]; nextCursor: string | null } {
  const after = cursor === undefined ? undefined : requirePosition(cursor)
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
  return {
    rows: page,
    nextCursor:
      rows.length > limit && last ? encodePageToken({ createdAt: last.created_at, id: last.id }) : null,
  }
}

/** Throws INVALID_REQUEST. The API has validated its page tokens, so this protects other callers. */
function requirePosition(cursor: string): Position {
  const position = decodePageToken(cursor)
  if (position) return position
  throw new HostingError('INVALID_REQUEST', `"${cursor}" is not a page token of this list.`)
}
