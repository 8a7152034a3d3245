import { signal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { useEffect } from 'preact/hooks'
import { notLoaded } from './lazy-view.tsx'
import { notifyError } from './notices.tsx'

const current = signal<ComponentChild>(undefined)

type Render = (onClose: () => void) => ComponentChild

/**
 * Opens a dialog that stays open while the view below it is replaced, for example by the dialog's action. Loads
 * the code of the dialog first. `what` names the dialog in errors.
 */
export async function openDialog(what: string, load: () => Promise<Render>): Promise<void> {
  try {
    const render = await load()
    const dialog = render(() => {
      // Another dialog may have taken its place.
      if (current.peek() === dialog) current.value = undefined
    })
    current.value = dialog
  } catch (cause) {
    notifyError(notLoaded(what, cause))
  }
}

/** Renders the dialogs that `openDialog` opens. */
export function DialogOutlet() {
  useEffect(() => {
    const close = () => {
      current.value = undefined
    }
    addEventListener('popstate', close)
    return () => removeEventListener('popstate', close)
  }, [])
  return <>{current.value}</>
}
