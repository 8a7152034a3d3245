import type { Signal } from '@preact/signals'

/** Phase of the running deployment. Empty while none is running, so that screen readers announce the first phase. */
export function Phase({ phase: { value } }: { phase: Signal<string> }) {
  return (
    <p role="status" class="muted">
      {value && `${value[0]!.toUpperCase()}${value.slice(1)}…`}
    </p>
  )
}
