import type { ApiClient, RequestInput } from './client.ts'

interface Page<T> {
  items: T[]
  /** Token of the next page: `next_cursor` in `/v1`, `nextToken` in `/api`. */
  next_cursor?: string | null
  nextToken?: string | null
}

/** Records from all pages of a list. */
export async function listItems<T>(
  api: ApiClient,
  path: string,
  query: RequestInput['query'] = {},
): Promise<T[]> {
  const items: T[] = []
  const name = path.startsWith('/v1/') ? 'cursor' : 'nextToken'
  let token: string | undefined
  do {
    const page = await api.get<Page<T> | undefined>(path, { ...query, [name]: token })
    items.push(...(page?.items ?? []))
    token = page?.next_cursor ?? page?.nextToken ?? undefined
  } while (token !== undefined)
  return items
}
