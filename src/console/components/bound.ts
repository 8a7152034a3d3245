import type { Signal } from '@preact/signals'

/** Attributes of a text field or a select whose value is that of the signal, in both directions. */
export function bound<T extends string>(signal: Signal<T>) {
  return {
    value: signal.value,
    onInput: (event: { currentTarget: { value: string } }) => {
      signal.value = event.currentTarget.value as T
    },
  }
}
