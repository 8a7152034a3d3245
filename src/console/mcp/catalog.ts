import type { McpConnection } from './connection.ts'
import { isObject, type Params, textOf } from './messages.ts'

export const KINDS = ['tool', 'resource', 'template', 'prompt'] as const
export type Kind = (typeof KINDS)[number]

/** A tool, resource, resource template or prompt, as the server describes it. */
export interface Entry {
  kind: Kind
  /** Key in requests: the name of a tool or prompt, a URI or a URI template. */
  id: string
  name: string
  title: string | undefined
  description: string | undefined
  /** The whole entry, as the server sent it. */
  source: Params
}

/** Everything that a server offers. A list that failed has an error. */
export interface Catalog {
  entries: readonly Entry[]
  errors: readonly Error[]
}

const LISTS: Record<Kind, { capability: string; method: string; member: string; id: string }> = {
  tool: { capability: 'tools', method: 'tools/list', member: 'tools', id: 'name' },
  resource: { capability: 'resources', method: 'resources/list', member: 'resources', id: 'uri' },
  template: {
    capability: 'resources',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    id: 'uriTemplate',
  },
  prompt: { capability: 'prompts', method: 'prompts/list', member: 'prompts', id: 'name' },
}

/** A server could send pages forever. */
const MAX_PAGES = 64
const METHOD_NOT_FOUND = -32601

export async function loadCatalog(connection: McpConnection, signal: AbortSignal): Promise<Catalog> {
  const kinds = KINDS.filter(kind => connection.capabilities[LISTS[kind].capability])
  const lists = await Promise.allSettled(kinds.map(kind => loadList(connection, kind, signal)))
  signal.throwIfAborted()
  const entries = lists.flatMap(list => (list.status === 'fulfilled' ? list.value : []))
  const errors = lists.flatMap(list => (list.status === 'rejected' ? [list.reason as Error] : []))
  return { entries, errors: errors.filter(error => !isUnknownMethod(error)) }
}

async function loadList(connection: McpConnection, kind: Kind, signal: AbortSignal): Promise<Entry[]> {
  const { method, member } = LISTS[kind]
  const entries = new Map<string, Entry>()
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const result = await connection.request({ method, params, signal })
    for (const source of Array.isArray(result[member]) ? result[member] : []) {
      const entry = toEntry(kind, source)
      if (entry && !entries.has(entry.id)) entries.set(entry.id, entry)
    }
    cursor = result.nextCursor
    if (cursor === undefined || cursor === null) break
  }
  return [...entries.values()]
}

/** A resource that is in no list, for example one that a result points to. */
export function unlistedResource(uri: string): Entry {
  return { kind: 'resource', id: uri, name: uri, title: undefined, description: undefined, source: { uri } }
}

/** Undefined for an entry without an id, because no request can refer to it. */
function toEntry(kind: Kind, source: unknown): Entry | undefined {
  if (!isObject(source)) return undefined
  const id = text(source[LISTS[kind].id])
  if (id === undefined) return undefined
  const { annotations } = source
  return {
    kind,
    id,
    name: text(source.name) ?? id,
    title: text(source.title) ?? (isObject(annotations) ? text(annotations.title) : undefined),
    description: text(source.description),
    source,
  }
}

/** True if the server does not have the method. Servers may declare a capability without all of its lists. */
function isUnknownMethod(error: Error & { code?: unknown }): boolean {
  return error.code === METHOD_NOT_FOUND
}

function text(value: unknown): string | undefined {
  return textOf(value) || undefined
}
