import { HostingError } from '../../shared/errors.ts'

const MIN_PREFIX = 4
/** Maximum number of ids in the message about an ambiguous prefix. */
const MAX_LISTED = 10

/**
 * The record with this id, or with a unique prefix of it, with or without the kind (`ses_`). Throws NOT_FOUND, or
 * INVALID_REQUEST for an ambiguous prefix. `list`: command that lists the records. `minPrefix`: minimum length of a prefix,
 * without the kind.
 */
export function pickById<T extends { id: string }>(
  records: readonly T[],
  reference: string,
  { what, list, minPrefix = MIN_PREFIX }: { what: string; list: string; minPrefix?: number },
): T {
  const exact = records.find(({ id }) => id === reference)
  if (exact) return exact
  const matches = records.filter(({ id }) => isPrefix(reference, id, minPrefix))
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1)
    throw new HostingError(
      'INVALID_REQUEST',
      `"${reference}" matches ${matches.length} ids. Give a longer prefix.`,
      {
        details: matches
          .slice(0, MAX_LISTED)
          .map(({ id }) => id)
          .join('\n'),
      },
    )
  throw new HostingError('NOT_FOUND', `There is no ${what} "${reference}".`, {
    next: [{ description: 'List all ids', command: list }],
  })
}

function isPrefix(reference: string, id: string, minPrefix: number): boolean {
  const isLong = withoutKind(reference).length >= minPrefix
  return isLong && (id.startsWith(reference) || withoutKind(id).startsWith(reference))
}

/** `ses_3f9a` → `3f9a` */
function withoutKind(id: string): string {
  return id.replace(/^[a-z]{3}_/, '')
}
