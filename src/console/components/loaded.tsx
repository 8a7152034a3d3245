import './loaded.css'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { HostingError } from '../../shared/errors.ts'
import type { Resource } from '../api/resource.ts'
import { Button } from './button.tsx'
import { ErrorText } from './error-text.tsx'
import { Icon } from './icon.tsx'

/** Below this time, a loading indicator would only flicker. */
const SLOW_MS = 300
const LINES = 6

interface LoadedProps<T> {
  resource: Pick<Resource<T>, 'value' | 'error' | 'reload'>
  /** Name of the value, for screen readers. */
  what: string
  children(value: T): ComponentChildren
}

/** Shows a resource in every state: loading, loaded, failed, and outdated because loading it again failed. */
export function Loaded<T>({ resource: { value, error, reload }, what, children }: LoadedProps<T>) {
  if (value === undefined) return error ? <Problem error={error} onRetry={reload} /> : <Loading what={what} />
  return (
    <>
      {error && (
        <div class="stale">
          <Problem error={error} onRetry={reload} />
        </div>
      )}
      {children(value)}
    </>
  )
}

/** Shows its children after a delay. */
export function Delayed({ children }: { children: ComponentChildren }) {
  const isSlow = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      isSlow.value = true
    }, SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return <>{isSlow.value && children}</>
}

export function Loading({ what }: { what: string }) {
  return (
    <Delayed>
      <div class="skeleton" role="status">
        <span class="hidden">Loading {what}…</span>
        {Array.from({ length: LINES }, (_, index) => (
          <span key={index} />
        ))}
      </div>
    </Delayed>
  )
}

interface ReloadButtonProps {
  /** Name of the button. */
  label: string
  resource: Pick<Resource<unknown>, 'isLoading' | 'reload'>
}

/** Button that reloads a value that the feed does not keep current. */
export function ReloadButton({ label, resource }: ReloadButtonProps) {
  return (
    <Button kind="quiet" icon="restart" label={label} busy={resource.isLoading} onClick={resource.reload} />
  )
}

/** Retrying cannot help when a permission, the session or the record is missing. */
const PERMANENT = ['INSUFFICIENT_SCOPE', 'UNAUTHORIZED', 'NOT_FOUND']

export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const isPermanent = error instanceof HostingError && PERMANENT.includes(error.code)
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div class="content">
        <ErrorText error={error} />
        {onRetry && !isPermanent && (
          <Button icon="restart" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}
