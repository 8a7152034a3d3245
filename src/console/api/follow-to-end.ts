import { type FollowOptions, follow } from './follow.ts'

interface WholeStreamOptions<T> extends FollowOptions<T> {
  isLast(event: T): boolean
}

/**
 * Follows an event stream that ends, such as the log of a build. Its events have no ids, so each connection starts with the first
 * event, and known events are skipped.
 */
export async function followToEnd<T>(path: string, options: WholeStreamOptions<T>): Promise<void> {
  const { isLast, onEvent, onState, signal } = options
  const ended = new AbortController()
  let known = 0
  let position = 0
  let isComplete = false
  await follow<T>(path, {
    ...options,
    signal: AbortSignal.any([signal, ended.signal]),
    onEvent(event) {
      if (++position <= known) return
      known = position
      isComplete ||= isLast(event)
      onEvent(event)
    },
    onState(state) {
      if (state === 'open') position = 0
      if (state === 'lost' && isComplete) ended.abort()
      else onState(state)
    },
  })
}
