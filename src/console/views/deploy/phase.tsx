import type { Signal } from '@preact/signals'

/** What a running deployment is doing. Empty while none runs, so that screen readers announce the first phase. */
export function Phase({ phase: { value } }: { phase: Signal<string> }) {
  return (
    <p role="status" class="muted">
      {value && `${value[0]!.toUpperCase()}${value.slice(1)}…`}
    </p>
  )
}
