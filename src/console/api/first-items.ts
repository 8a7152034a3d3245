import { useRef } from 'preact/hooks'
import { listFirst, type Query } from './client.ts'
import type { Change } from './feed.ts'
import { type Resource, useResource } from './resource.ts'

interface FirstItemsOptions {
  query?: Query
  pageSize: number
  /** Whether a change in the feed makes the items outdated. */
  concerns(change: Change): boolean
}

interface FirstItems<T> {
  resource: Resource<{ items: T[]; hasMore: boolean }>
  /** Loads another page. The current items stay until it has loaded. */
  showMore(): void
}

/** Loads the first page of a list, and more on request. */
export function useFirstItems<T>(
  path: string,
  { query = {}, pageSize, concerns }: FirstItemsOptions,
): FirstItems<T> {
  const count = useRef(pageSize)
  const resource = useResource(`${path} ${JSON.stringify(query)}`, {
    load: signal => listFirst<T>(path, count.current, { query, signal }),
    concerns,
  })
  return {
    resource,
    showMore() {
      count.current += pageSize
      resource.reload()
    },
  }
}
