import { isDeepStrictEqual } from 'node:util'
import { HostingError } from '../../shared/errors.ts'
import type { Entries } from './json-config.ts'

type Table = Record<string, unknown>

export async function readTomlEntries(text: string, key: string, file: string): Promise<Entries> {
  return toPlain((await parseToml(text, file))[key] ?? {}) as Entries
}

/**
 * Sets one table of `key`, or removes it when `entry` is undefined. Edits lines, so that the rest keeps its comments and order,
 * and compares the parsed result with the expected result. Throws INVALID_REQUEST for a file in an unsupported style instead of
 * damaging it.
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
  // `stringify` also adds an empty parent header, which would clash with an existing one.
  const table = block.replace(`[${key}]\n`, '').trim()
  const edited = table ? `${rest.trimEnd()}${rest.trim() ? '\n\n' : ''}${table}\n` : rest
  const wanted = (await parseToml(text, file)) as Record<string, Table>
  const servers = { ...wanted[key] }
  if (entry) servers[name] = entry
  else delete servers[name]
  const without = ({ [key]: _servers, ...others }: Table) => others
  const got = await parseToml(edited, file).catch(() => ({}) as Table)
  if (
    isDeepStrictEqual(toPlain(got[key] ?? {}), toPlain(servers)) &&
    isDeepStrictEqual(toPlain(without(got)), toPlain(without(wanted)))
  )
    return edited
  throw new HostingError('INVALID_REQUEST', `${file} cannot be edited safely. It was not changed.`, {
    next: [{ description: `Edit [${key}.${name}] in the file by hand` }],
  })
}

async function parseToml(text: string, file: string): Promise<Table> {
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw new HostingError('INVALID_REQUEST', `${file} is not valid TOML: ${reason}.`, {
      next: [{ description: 'Correct the file' }],
      cause: error,
    })
  }
}

/** Removes the lines of `[key.name]` and its sub-tables, each up to the next header. */
function withoutTable(text: string, path: readonly string[]): string {
  let inside = false
  const kept = text.split('\n').filter(line => {
    const header = headerOf(line)
    if (header) inside = path.every((segment, index) => header[index] === segment)
    return !inside
  })
  return kept.join('\n').replace(/\n{3,}/g, '\n\n')
}

/** `[a."b.c"]` → `['a', 'b.c']` (https://toml.io/en/v1.1.0#table). Undefined for other lines. */
function headerOf(line: string): string[] | undefined {
  const inner = /^\s*\[([^[\]]+)\]\s*(#.*)?$/.exec(line)?.[1]
  return inner?.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^.\s]+/g)?.map(part => part.replace(/^(["'])(.*)\1$/, '$2'))
}

/** The parser's tables have no prototype, which isDeepStrictEqual would report as a difference. */
function toPlain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)),
  )
}
