import type { Signal } from '@preact/signals'

/** Attributes that bind the value of a text field or a select to a signal, in both directions. */
export function bound<T extends string>(signal: Signal<T>) {
  return {
    value: signal.value,
    onInput: (event: { currentTarget: { value: string } }) => {
      signal.value = event.currentTarget.value as T
    },
  }
}
