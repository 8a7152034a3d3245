import { signal } from '@preact/signals'
import type { ChangeEvent, FeedEvent, ResetEvent } from '../../shared/contract/monitoring/events.ts'
import type { HostingError } from '../../shared/errors.ts'
import { recordMetrics } from '../model/live-metrics.ts'
import { follow } from './follow.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'refused'

/** State of the page's only event connection. */
export const connection = signal<Connection>('connecting')

/** Why the API refused the event connection. */
export const refusal = signal<HostingError | undefined>(undefined)

export type Change = ChangeEvent | ResetEvent
type Listener = (change: Change) => void

const METRICS_INTERVAL_SECONDS = 2

const listeners = new Set<Listener>()

/** Calls the listener with every change until the returned function is called. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const reconnectListeners = new Set<() => void>()

/**
 * Calls the listener each time the API answers again after a lost connection, until the returned function is called. A browser
 * aborts even requests to its own machine when a network interface appears or disappears (`ERR_NETWORK_CHANGED`).
 */
export function onReconnect(listener: () => void): () => void {
  reconnectListeners.add(listener)
  return () => reconnectListeners.delete(listener)
}

/** Follows the feed for as long as the page is open. */
export function startFeed(): void {
  void follow<FeedEvent>('/api/events', {
    query: { metrics: METRICS_INTERVAL_SECONDS },
    signal: new AbortController().signal,
    onEvent: dispatch,
    onState(state) {
      const isBack = state === 'open' && connection.peek() === 'reconnecting'
      connection.value = state === 'open' ? 'live' : state === 'lost' ? 'reconnecting' : 'connecting'
      if (isBack) for (const listener of reconnectListeners) listener()
    },
    onRefused(error) {
      refusal.value = error
      connection.value = 'refused'
    },
  })
}

function dispatch(event: FeedEvent): void {
  if (event.type === 'metrics') return recordMetrics(event)
  for (const listener of listeners) listener(event)
}
