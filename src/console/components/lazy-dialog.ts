import { useSignal } from '@preact/signals'
import type { FunctionComponent } from 'preact'
import { useRef } from 'preact/hooks'
import { notLoaded } from './lazy-view.tsx'
import { notifyError } from './notices.tsx'

/** A dialog whose code is loaded when it is first opened. `what` is its name in errors. */
export function useLazyDialog<P>(what: string, load: () => Promise<FunctionComponent<P>>) {
  const loaded = useRef<FunctionComponent<P> | undefined>(undefined)
  const isOpen = useSignal(false)
  return {
    /** Undefined while the dialog is closed. */
    View: isOpen.value ? loaded.current : undefined,
    async open() {
      try {
        // Opens immediately the next time, so that the dialog gets what the user types.
        loaded.current ??= await load()
        isOpen.value = true
      } catch (cause) {
        notifyError(notLoaded(what, cause))
      }
    },
    close() {
      isOpen.value = false
    },
  }
}
