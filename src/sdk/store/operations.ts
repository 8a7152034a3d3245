import {
  MAX_PAGE_ENTRIES,
  type StateBackend,
  type StateResult,
  type StateScope,
} from '../../shared/instances/state-operations.ts'
import { checkKey } from './keys.ts'
import type { ExpiryOptions, ListOptions } from './store.ts'
import { storeError } from './store-error.ts'

const DEFAULT_LIMIT = 1000

type ListOperation = Extract<Parameters<StateBackend['run']>[0], { op: 'list' }>
type ListPage = Extract<StateResult, { entries: unknown }>

/** Reads pages until the limit is reached. `onPage` receives each page. */
export async function readPages(
  backend: StateBackend,
  scope: StateScope,
  { limit, ...list }: Omit<ListOperation, 'op' | 'scope'>,
  onPage: (page: ListPage) => void = () => {},
): Promise<ListPage['entries']> {
  const all: ListPage['entries'] = []
  let { after } = list
  while (all.length < limit) {
    const page = (await run(backend, {
      op: 'list',
      scope,
      ...list,
      ...(after !== undefined && { after }),
      limit: Math.min(MAX_PAGE_ENTRIES, limit - all.length),
    })) as ListPage
    onPage(page)
    for (const entry of page.entries) all.push(entry)
    after = page.entries.at(-1)?.[0]
    if (page.isWhole || after === undefined) break
  }
  return all
}

/** Runs an operation. Throws the backend's errors as StoreErrors. */
export async function run(backend: StateBackend, operation: Parameters<StateBackend['run']>[0]) {
  const result = await backend.run(operation)
  if ('error' in result) throw storeError(result.error.code, result.error.message)
  return result
}

export function checkList(prefix: string, { after, limit = DEFAULT_LIMIT, reverse }: ListOptions) {
  if (prefix !== '') checkKey(prefix)
  if (!Number.isInteger(limit) || limit < 1)
    throw storeError('INVALID_VALUE', `limit is ${limit}. It must be a positive whole number.`)
  return {
    limit,
    ...(after !== undefined && { after: checkKey(after) }),
    ...(reverse && { reverse: true }),
  }
}

export function expiry({ ttlSeconds }: ExpiryOptions = {}): { ttlMs?: number } {
  if (ttlSeconds === undefined) return {}
  const ttlMs = Math.round(ttlSeconds * 1000)
  if (ttlMs >= 1 && Number.isSafeInteger(ttlMs)) return { ttlMs }
  throw storeError('INVALID_VALUE', `ttlSeconds is ${ttlSeconds}. It must be a positive number.`)
}
