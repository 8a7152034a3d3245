import type { ReadonlySignal } from '@preact/signals'
import { readEvents } from '../../shared/api/event-stream.ts'
import { HostingError } from '../../shared/errors.ts'
import { chunksOf } from './chunks.ts'
import { type Query, send } from './client.ts'

export type StreamState = 'connecting' | 'open' | 'lost'

export interface FollowOptions<T> {
  query?: Query
  signal: AbortSignal
  /** While true, the stream is closed. Afterwards, it continues after its last event. */
  isPaused?: ReadonlySignal<boolean>
  onEvent(event: T): void
  onState(state: StreamState): void
  /** The API refused the stream. It is not opened again. */
  onRefused(error: HostingError): void
}

const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 5000
/**
 * A connection that breaks after this time is opened again after the shortest delay. One that breaks earlier counts as a failed
 * attempt.
 */
const HEALTHY_MS = 5000

/**
 * Follows an endless event stream until the signal aborts. A broken stream is opened again, and continues after the last
 * event that had an id. A hidden page closes its stream, because a browser allows only six connections to one origin. A paused
 * stream is also closed.
 */
export async function follow<T>(path: string, options: FollowOptions<T>): Promise<void> {
  const { signal, onState, onRefused } = options
  const position: Position = { lastId: undefined, openedAt: undefined }
  let retryMs = FIRST_RETRY_MS
  onState('connecting')
  while (!signal.aborted) {
    await untilWanted(options)
    if (signal.aborted) return
    try {
      await readOnce(path, options, position)
      retryMs = FIRST_RETRY_MS
    } catch (error) {
      if (signal.aborted) return
      if (isRefusal(error)) return onRefused(error)
      if (wasHealthy(position)) retryMs = FIRST_RETRY_MS
    }
    if (!isWanted(options) || signal.aborted) continue
    onState('lost')
    await wait(retryMs, signal)
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
  }
}

interface Position {
  lastId: string | undefined
  /** Time at which the current connection was opened. Undefined until then. */
  openedAt: number | undefined
}

function wasHealthy({ openedAt }: Position): boolean {
  return openedAt !== undefined && performance.now() - openedAt >= HEALTHY_MS
}

/** Reads one connection until it ends or is no longer wanted. */
async function readOnce<T>(path: string, options: FollowOptions<T>, position: Position): Promise<void> {
  const { query, signal, onEvent, onState } = options
  const { lastId } = position
  position.openedAt = undefined
  const connection = new AbortController()
  const stop = onWantedChange(options, isWanted => isWanted || connection.abort())
  try {
    const response = await send('GET', path, {
      // A resumed stream continues after the last event, so it needs no tail.
      query: lastId === undefined ? query : { ...query, tail: undefined },
      headers: {
        accept: 'text/event-stream',
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
      signal: AbortSignal.any([signal, connection.signal]),
    })
    position.openedAt = performance.now()
    onState('open')
    const events = readEvents<T>(chunksOf(response), id => {
      position.lastId = id
    })
    for await (const event of events) deliver(event, onEvent)
  } finally {
    stop()
  }
}

/** Passes an event on. An error in the page itself must not reopen the stream. */
function deliver<T>(event: T, onEvent: (event: T) => void): void {
  try {
    onEvent(event)
  } catch (error) {
    reportError(error)
  }
}

/** True when the API would refuse another attempt as well. */
function isRefusal(error: unknown): error is HostingError {
  return (
    error instanceof HostingError &&
    !['UNAVAILABLE', 'INTERNAL', 'RATE_LIMITED', 'UPSTREAM_FAILED'].includes(error.code)
  )
}

type Pausable = Pick<FollowOptions<unknown>, 'isPaused' | 'signal'>

function isWanted({ isPaused }: Pick<Pausable, 'isPaused'>): boolean {
  return !document.hidden && isPaused?.value !== true
}

/** Calls the listener now and after each change, until the returned function is called. */
function onWantedChange(options: Pausable, listener: (isWanted: boolean) => void): () => void {
  const check = () => listener(isWanted(options))
  document.addEventListener('visibilitychange', check)
  const unsubscribe = options.isPaused?.subscribe(check)
  if (!unsubscribe) check()
  return () => {
    document.removeEventListener('visibilitychange', check)
    unsubscribe?.()
  }
}

async function untilWanted(options: Pausable): Promise<void> {
  if (isWanted(options)) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const stop = onWantedChange(options, isWanted => isWanted && resolve())
  options.signal.addEventListener('abort', end)
  await promise
  options.signal.removeEventListener('abort', end)
  stop()
}

/** Waits, but returns early when the network is back or the signal aborts. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
    signal.addEventListener('abort', end)
  })
}
