import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { HostingError } from '../../shared/errors.ts'
import { type Change, onChange, onReconnect } from './feed.ts'

/** A value that is loading, loaded or failed to load. */
export interface Resource<T> {
  /** The last loaded value, even after a later error. */
  value: T | undefined
  error: HostingError | undefined
  /** Also true while a known value is loaded again. */
  isLoading: boolean
  reload(): void
}

interface ResourceOptions<T> {
  load(signal: AbortSignal): Promise<T>
  /** Whether a change in the feed makes the value outdated. */
  concerns(change: Change): boolean
}

/** Loads a value, and loads it again when it changes. A different `key` means a different value. */
export function useResource<T>(key: string, options: ResourceOptions<T>): Resource<T> {
  const state = useSignal<{ key: string; value?: T; error?: HostingError }>({ key })
  const isLoading = useSignal(true)
  const latest = useRef(options)
  latest.current = options
  const reload = useRef(() => {})
  useEffect(() => {
    const loader = startLoader(
      signal => latest.current.load(signal),
      result => {
        const { value } = state.peek().key === key ? state.peek() : {}
        state.value = { key, value, ...result }
      },
      next => {
        isLoading.value = next
      },
    )
    reload.current = loader.reload
    const stops = [
      onChange(change => latest.current.concerns(change) && loader.reload()),
      onReconnect(() => state.peek().error && loader.reload()),
    ]
    return () => {
      for (const stop of stops) stop()
      loader.stop()
    }
  }, [key])
  const { value, error } = state.value.key === key ? state.value : {}
  return {
    value,
    error,
    // A getter, so that only components that read it are rendered again.
    get isLoading() {
      return isLoading.value
    },
    reload: () => reload.current(),
  }
}

/** Loads now and after each call of `reload`, one request at a time. */
function startLoader<T>(
  load: (signal: AbortSignal) => Promise<T>,
  onResult: (result: { value: T; error?: undefined } | { error: HostingError }) => void,
  onLoading: (isLoading: boolean) => void,
) {
  const controller = new AbortController()
  let isRunning = false
  let isOutdated = false
  const run = async () => {
    isRunning = true
    onLoading(true)
    do {
      isOutdated = false
      const result = await load(controller.signal).then(
        value => ({ value, error: undefined }),
        (error: HostingError) => ({ error }),
      )
      if (controller.signal.aborted) return
      onResult(result)
    } while (isOutdated)
    isRunning = false
    onLoading(false)
  }
  void run()
  return {
    reload() {
      isOutdated = true
      if (!isRunning) void run()
    },
    stop: () => controller.abort(),
  }
}
