import { isDeepStrictEqual } from 'node:util'
import { HostingError } from '../../shared/errors.ts'
import type { Entries } from './json-config.ts'

type Table = Record<string, unknown>

export async function readTomlEntries(text: string, key: string, file: string): Promise<Entries> {
  return plain((await parseToml(text, file))[key] ?? {}) as Entries
}

/**
 * Sets or, with undefined, removes one table of `key`. Works on lines, so that comments and order of everything else
 * stay, and compares the parsed result before it is given out: a file written in a style that this does not know is
 * refused rather than damaged.
 */
export async function editToml(
  text: string,
  [key, name]: readonly [key: string, name: string],
  entry: Record<string, unknown> | undefined,
  file: string,
): Promise<string> {
  const { stringify } = await import('smol-toml')
  const rest = withoutTable(text, [key, name])
  const block = entry ? stringify({ [key]: { [name]: entry } }).trim() : ''
  // An empty parent header is all that `stringify` adds, and it would clash with one that is there.
  const table = block.replace(`[${key}]\n`, '').trim()
  const edited = table ? `${rest.trimEnd()}${rest.trim() ? '\n\n' : ''}${table}\n` : rest
  const wanted = (await parseToml(text, file)) as Record<string, Table>
  const servers = { ...wanted[key] }
  if (entry) servers[name] = entry
  else delete servers[name]
  const without = ({ [key]: _servers, ...others }: Table) => others
  const got = await parseToml(edited, file).catch(() => ({}) as Table)
  if (
    isDeepStrictEqual(plain(got[key] ?? {}), plain(servers)) &&
    isDeepStrictEqual(plain(without(got)), plain(without(wanted)))
  )
    return edited
  throw new HostingError(
    'INVALID_REQUEST',
    `${file} is written in a way that cannot be edited safely; it was left as it is.`,
    {
      next: [{ description: 'Put the entry in by hand: repeat the command with --print' }],
    },
  )
}

async function parseToml(text: string, file: string): Promise<Table> {
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw new HostingError(
      'INVALID_REQUEST',
      `${file} is not valid TOML (${reason}); it was left as it is.`,
      {
        cause: error,
      },
    )
  }
}

/** Drops the lines of `[key.name]` and of its sub-tables, each up to the next header. */
function withoutTable(text: string, path: readonly string[]): string {
  let inside = false
  const kept = text.split('\n').filter(line => {
    const header = headerOf(line)
    if (header) inside = path.every((segment, index) => header[index] === segment)
    return !inside
  })
  return kept.join('\n').replace(/\n{3,}/g, '\n\n')
}

/** `[a."b.c"]` → `['a', 'b.c']` (https://toml.io/en/v1.1.0#table); undefined for other lines. */
function headerOf(line: string): string[] | undefined {
  const inner = /^\s*\[([^[\]]+)\]\s*(#.*)?$/.exec(line)?.[1]
  return inner?.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^.\s]+/g)?.map(part => part.replace(/^(["'])(.*)\1$/, '$2'))
}

/** Tables of the parser have no prototype; a plain copy compares by content alone. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)),
  )
}
