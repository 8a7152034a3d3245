import { RpcError } from '../protocol/json-rpc.ts'

/** Returns the page for a cursor as serialized JSON members: `"tools":[…],"nextCursor":"…"`. */
export type PagedList = (cursor?: string) => string

/** Serializes each page on first use and keeps the text. */
export function createList<T>(
  member: string,
  entries: readonly T[],
  toWire: (entry: T) => object,
  pageSize = Number.POSITIVE_INFINITY,
): PagedList {
  let pages: Map<number, string> | undefined
  const serialize = (start: number): string => {
    const end = start + pageSize
    const wire = entries.slice(start, end).map(toWire)
    const next = end < entries.length ? `,"nextCursor":"${encodeCursor(member, end)}"` : ''
    return `${JSON.stringify(member)}:${JSON.stringify(wire)}${next}`
  }
  return cursor => {
    const start = cursor === undefined ? 0 : decodeCursor(member, cursor, pageSize, entries.length)
    pages ??= new Map()
    const page = pages.get(start) ?? serialize(start)
    pages.set(start, page)
    return page
  }
}

function encodeCursor(member: string, start: number): string {
  return Buffer.from(`${member}:${start}`).toString('base64url')
}

/** Accepts only cursors that a page returned. */
function decodeCursor(member: string, cursor: string, pageSize: number, count: number): number {
  const [, start] =
    /^(\d+)$/.exec(
      Buffer.from(cursor, 'base64url')
        .toString()
        .slice(member.length + 1),
    ) ?? []
  const position = Number(start ?? 0)
  const isValid = position > 0 && position < count && position % pageSize === 0
  if (!isValid || encodeCursor(member, position) !== cursor)
    throw new RpcError(-32602, 'Invalid cursor. Use the nextCursor of the previous page, or omit it.')
  return position
}
