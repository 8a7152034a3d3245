import { signal } from '@preact/signals'
import type { ComponentType, FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'
import { HostingError } from '../../shared/errors.ts'
import { Loading, Problem } from './loaded.tsx'

/** A view whose code is loaded when it is first shown. `what` is its name for screen readers. */
export function lazyView<P extends object>(
  what: string,
  load: () => Promise<ComponentType<P>>,
): FunctionComponent<P> {
  const loaded = signal<{ View?: ComponentType<P>; error?: HostingError }>({})
  const start = async () => {
    loaded.value = await load().then(
      View => ({ View }),
      cause => ({ error: notLoaded(what, cause) }),
    )
  }
  return function LazyView(props: P) {
    useEffect(() => {
      if (!loaded.peek().View) void start()
    }, [])
    const { View, error } = loaded.value
    if (View) return <View {...props} />
    // Retrying reloads the page, because a browser may remember that a module failed to load.
    return error ? <Problem error={error} onRetry={() => location.reload()} /> : <Loading what={what} />
  }
}

export function notLoaded(what: string, cause: unknown): HostingError {
  return new HostingError('UNAVAILABLE', `The page could not load ${what}.`, {
    cause,
    details: 'The daemon does not answer, or it was updated and the page must be reloaded.',
  })
}
