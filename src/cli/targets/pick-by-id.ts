import { HostingError } from '../../shared/errors.ts'

const MIN_PREFIX = 4

/**
 * The record with this id, or with a unique prefix of it, which may leave out its kind. Throws INVALID_REQUEST for an
 * ambiguous prefix and NOT_FOUND. `list`: command that lists the records.
 */
export function pickById<T extends { id: string }>(
  records: readonly T[],
  reference: string,
  { what, list }: { what: string; list: string },
): T {
  const exact = records.find(({ id }) => id === reference)
  if (exact) return exact
  const matches = records.filter(({ id }) => isPrefix(reference, id))
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1)
    throw new HostingError(
      'INVALID_REQUEST',
      `"${reference}" matches ${matches.length} ids. Give a longer prefix.`,
      { details: matches.map(({ id }) => id).join('\n') },
    )
  throw new HostingError('NOT_FOUND', `There is no ${what} "${reference}".`, {
    next: [{ description: 'List all', command: list }],
  })
}

function isPrefix(reference: string, id: string): boolean {
  const random = id.slice(id.indexOf('_') + 1)
  const isLong = reference.slice(reference.indexOf('_') + 1).length >= MIN_PREFIX
  return isLong && (id.startsWith(reference) || random.startsWith(reference))
}
