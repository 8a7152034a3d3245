import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { RequestPage, RequestRecordItem } from '../../../../shared/contract/monitoring/requests.ts'
import type { HostingError } from '../../../../shared/errors.ts'
import { type Query, request } from '../../../api/client.ts'
import { follow } from '../../../api/follow.ts'
import { useAction } from '../../../components/action.ts'
import { RowBuffer } from '../../../components/rows/row-buffer.ts'
import { streamStart } from './request-query.ts'

const MAX_RECORDS = 10_000
const PAGE_SIZE = 200

/** Matching requests, newest last. Adds new records as they are written. Each query needs its own component. */
export function useRequestFeed(wanted: Query) {
  const buffer = useMemo(() => new RowBuffer<RequestRecordItem>(MAX_RECORDS), [])
  const isLoaded = useSignal(false)
  const error = useSignal<HostingError | undefined>(undefined)
  const nextToken = useSignal<string | null>(null)
  const load = async (signal?: AbortSignal) => {
    const found = await findOlder({ ...wanted, nextToken: nextToken.peek() ?? undefined }, signal)
    nextToken.value = found.nextToken
    buffer.addOlder(found.items)
    return found.items
  }
  const fail = (cause: HostingError) => {
    error.value = cause
  }
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const start = async () => {
      const items = await load(signal)
      isLoaded.value = true
      await followNew({ wanted, signal, items, onRecord: record => buffer.add(record), onRefused: fail })
    }
    start().catch(cause => signal.aborted || fail(cause))
    return () => controller.abort()
  }, [])
  const older = useAction(() => load())
  return {
    buffer,
    isLoaded: isLoaded.value,
    error: error.value,
    /** Loads older records. Undefined when there are no more, or the list is full. */
    older: nextToken.value !== null && buffer.count < MAX_RECORDS ? older : undefined,
  }
}

/** The next records, newest first. The API may return empty pages before the last one. */
async function findOlder(query: Query, signal: AbortSignal | undefined): Promise<RequestPage> {
  const page = await request<RequestPage>('GET', '/api/requests', {
    query: { ...query, limit: PAGE_SIZE },
    signal,
  })
  if (page.items.length > 0 || page.nextToken === null) return page
  return findOlder({ ...query, nextToken: page.nextToken }, signal)
}

interface FollowOptions {
  wanted: Query
  signal: AbortSignal
  /** Loaded records, newest first. */
  items: readonly RequestRecordItem[]
  onRecord(record: RequestRecordItem): void
  onRefused(error: HostingError): void
}

/** Follows new records. The stream overlaps with the list, so that no record is missed between them. */
function followNew({ wanted, signal, items, onRecord, onRefused }: FollowOptions): Promise<void> {
  const known = new Set(items.map(({ id }) => id))
  return follow<RequestRecordItem>('/api/requests', {
    query: { ...wanted, since: streamStart(items[0]?.timestamp, wanted.since) },
    signal,
    onEvent: record => known.has(record.id) || onRecord(record),
    onState: () => {},
    onRefused,
  })
}
