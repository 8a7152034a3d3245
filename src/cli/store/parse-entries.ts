import type { StoreEntry } from '../../shared/contract/servers/server-store.ts'
import { HostingError } from '../../shared/errors.ts'

/** Parses entries of a store, one JSON object per line. Throws INVALID_REQUEST with the file and line. */
export function parseEntries(text: string, file: string): StoreEntry[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const entry = parseEntry(line)
    if (entry) return [entry]
    throw new HostingError(
      'INVALID_REQUEST',
      `${file}:${index + 1} is not a store entry. Nothing was changed.`,
      { details: 'Expected: {"key": "…", "value": …}, with "user" and "expires_at" if needed.' },
    )
  })
}

function parseEntry(line: string): StoreEntry | undefined {
  try {
    const entry = JSON.parse(line)
    return typeof entry?.key === 'string' && 'value' in entry ? entry : undefined
  } catch {
    return undefined
  }
}
