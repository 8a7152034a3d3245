import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { StoreChange, StoreEntry, StorePage } from '../../shared/contract/servers/server-store.ts'
import { STORE_ENVIRONMENTS, type StoreEnvironment } from '../../shared/contract/states.ts'
import { counted } from '../../shared/counted.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatBytes } from '../../shared/format/metric-format.ts'
import type { ApiClient } from '../api/client.ts'
import { listItems } from '../api/list-items.ts'
import { defineCommand } from '../command-line/command.ts'
import { parseEntries } from '../store/parse-entries.ts'

const SERVER = { server: { kind: 'server', required: true, doc: 'server name' } } as const
const KEY = { key: { kind: 'store key', required: true, doc: 'key of the entry' } } as const
const PLACE = {
  env: {
    type: 'string',
    value: 'environment',
    choices: STORE_ENVIRONMENTS,
    default: 'development',
    doc: 'environment of the server',
  },
  user: { type: 'string', value: 'subject', doc: 'store of this signed-in user, such as "github|42"' },
} as const

/** The API accepts at most 1 MiB per request. */
const MAX_REQUEST_BYTES = 768 * 1024
const MAX_REQUEST_ENTRIES = 1000
const SHOWN_CHARACTERS = 60

export const list = defineCommand({
  name: 'store list',
  description: 'List what handlers keep in context.store, and the size of the store.',
  arguments: { ...SERVER, prefix: { kind: 'store key', doc: 'only keys that start with this text' } },
  options: {
    ...PLACE,
    limit: { type: 'integer', value: 'count', default: 100, doc: 'maximum number of entries' },
  },
  examples: {
    'mcp store list notes --env production': 'the first 100 entries',
    "mcp store list notes note/ --user 'github|42'": 'the notes of one user',
  },
  async run({ output, api }, { server, prefix, env, user, limit }) {
    const page = await (await api()).get<StorePage>(pathOf(server, env), { prefix, user, limit })
    output.result(page, () => {
      const rows = page.items.map(({ key, user, value, expires_at }) => [
        key,
        user ?? '',
        shorten(JSON.stringify(value)),
        expires_at ?? 'never',
      ])
      output.table(['KEY', 'USER', 'VALUE', 'EXPIRES'], rows, 'No entries.')
      const { entries, bytes, limit_bytes } = page.usage
      output.line(
        `${counted(entries, 'entry', 'entries')}, ${formatBytes(bytes)} of ${formatBytes(limit_bytes)}`,
      )
      if (page.next_cursor !== null)
        output.next({
          description: 'Show more',
          command: `mcp store list ${server} --env ${env} --limit 1000`,
        })
    })
  },
})

export const get = defineCommand({
  name: 'store get',
  arguments: { ...SERVER, ...KEY },
  options: PLACE,
  examples: {
    'mcp store get notes last-note --env production': 'the value as JSON',
  },
  async run({ output, api }, { server, key, env, user }) {
    const entry = await findEntry(await api(), { server, key, env, user })
    output.result(entry, () => output.content(JSON.stringify(entry.value)))
  },
})

export const set = defineCommand({
  name: 'store set',
  description: 'Set an entry. A value that is not JSON is stored as text.',
  arguments: {
    ...SERVER,
    key: { ...KEY.key, mayBeNew: true },
    value: { required: true, doc: 'JSON or text, - for standard input' },
  },
  options: {
    ...PLACE,
    ttl: { type: 'duration', doc: 'time until the entry expires, such as 7d (default: never)' },
  },
  examples: {
    'mcp store set notes settings \'{"max":10}\' --env production': 'an object',
    'mcp store set notes motd "Closed today" --ttl 12h': 'text that expires',
  },
  async run({ output, api }, { server, key, value, env, user, ttl }) {
    const entry = {
      key,
      ...(user !== undefined && { user }),
      value: parseValue(value === '-' ? readInput('-') : value),
      ...(ttl !== undefined && { expires_at: new Date(Date.now() + ttl).toISOString() }),
    }
    const change = await changeStore(await api(), pathOf(server, env), { set: [entry] })
    output.result(change, () => output.line(`Set ${key} in the ${env} store of ${server}`))
  },
})

export const remove = defineCommand({
  name: 'store delete',
  arguments: { ...SERVER, ...KEY },
  options: PLACE,
  examples: {
    'mcp store delete notes motd --env production': 'deletes one entry',
  },
  async run({ output, api }, { server, key, env, user }) {
    const entry = { key, ...(user !== undefined && { user }) }
    const change = await changeStore(await api(), pathOf(server, env), { delete: [entry] })
    if (change.deleted === 0) throw missingEntry({ server, key, env })
    output.result(change, () => output.line(`Deleted ${key} from the ${env} store of ${server}`))
  },
})

export const exportEntries = defineCommand({
  name: 'store export',
  description: 'Write all entries, including those of all users, as JSON, one per line.',
  arguments: { ...SERVER, file: { kind: 'file', doc: 'file to write (default: standard output)' } },
  options: { env: PLACE.env },
  examples: {
    'mcp store export notes notes.ndjson --env production': 'to a file',
    'mcp store export notes --env production | mcp store import notes - --env staging': 'copies a store',
  },
  async run({ output, api, cwd }, { server, file, env }) {
    const entries = await listItems<StoreEntry>(await api(), pathOf(server, env), { limit: 1000 })
    const text = entries.map(entry => `${JSON.stringify(entry)}\n`).join('')
    if (file === undefined) return output.result({ entries }, () => output.part(text))
    writeFileAtomic(resolve(cwd, file), text)
    output.result({ file: resolve(cwd, file), entries: entries.length }, () =>
      output.line(`Wrote ${counted(entries.length, 'entry', 'entries')} to ${file}`),
    )
  },
})

export const importEntries = defineCommand({
  name: 'store import',
  description:
    'Set the entries from a file that `mcp store export` wrote. Keeps other entries and skips expired ones.',
  arguments: {
    ...SERVER,
    file: { kind: 'file', required: true, doc: 'file with one JSON entry per line, - for standard input' },
  },
  options: { env: PLACE.env },
  examples: {
    'mcp store import notes notes.ndjson --env staging': 'into another environment',
  },
  async run({ output, api, cwd }, { server, file, env }) {
    const given = parseEntries(readInput(file === '-' ? '-' : resolve(cwd, file)), file)
    const now = new Date().toISOString()
    const entries = given.filter(({ expires_at }) => expires_at == null || expires_at > now)
    const client = await api()
    let change: StoreChange | undefined
    for (const set of inRequests(entries)) change = await changeStore(client, pathOf(server, env), { set })
    output.result({ set: entries.length, skipped: given.length - entries.length, usage: change?.usage }, () =>
      output.line(`Set ${counted(entries.length, 'entry', 'entries')} in the ${env} store of ${server}`),
    )
  },
})

type Place = { server: string; env: StoreEnvironment }

function pathOf(server: string, env: StoreEnvironment): string {
  return `/v1/servers/${encodeURIComponent(server)}/store/${env}`
}

function changeStore(client: ApiClient, path: string, body: object): Promise<StoreChange> {
  return client.request<StoreChange>('PATCH', path, { body })
}

async function findEntry(
  client: ApiClient,
  { server, key, env, user }: Place & { key: string; user: string | undefined },
): Promise<StoreEntry> {
  const query = user === undefined ? { shared: 'true' } : { user }
  const { items } = await client.get<StorePage>(pathOf(server, env), { key, ...query })
  if (items[0]) return items[0]
  throw missingEntry({ server, key, env })
}

function missingEntry({ server, key, env }: Place & { key: string }): HostingError {
  return new HostingError('NOT_FOUND', `The ${env} store of ${server} has no entry "${key}".`, {
    next: [{ description: 'List the entries', command: `mcp store list ${server} --env ${env}` }],
  })
}

function* inRequests(entries: readonly StoreEntry[]): Iterable<StoreEntry[]> {
  let request: StoreEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry)) + 1
    if (request.length > 0 && (bytes + size > MAX_REQUEST_BYTES || request.length === MAX_REQUEST_ENTRIES)) {
      yield request
      request = []
      bytes = 0
    }
    request.push(entry)
    bytes += size
  }
  if (request.length > 0) yield request
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Reads a file or standard input (`-`). */
function readInput(source: string): string {
  try {
    return readFileSync(source === '-' ? 0 : source, 'utf8')
  } catch (error) {
    const name = source === '-' ? 'standard input' : source
    throw new HostingError('INVALID_REQUEST', `${name} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

function shorten(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text
}
