import './dialog.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { HostingError } from '../../shared/errors.ts'
import { useAction } from './action.ts'
import { Button } from './button.tsx'
import { Problem } from './loaded.tsx'
import { notifyError } from './notices.tsx'

interface FrameProps {
  title: string
  /** Has a form with many fields. */
  wide?: boolean
  /** Called when the user closes the dialog, also with Escape. The focus returns to where it was. */
  onClose(): void
  /** `close` closes the dialog. */
  children(close: () => void): ComponentChildren
}

export function DialogFrame({ title, wide, onClose, children }: FrameProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isClosed = useRef(false)
  const titleId = useId()
  // The browser's close event arrives later, when another dialog may be open.
  const close = () => {
    if (isClosed.current) return
    isClosed.current = true
    dialog.current!.close()
    onClose()
  }
  useEffect(() => {
    dialog.current!.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      // The cancel event of a file field bubbles.
      onCancel={event => event.target === event.currentTarget && close()}
      onClose={close}
    >
      <h2 id={titleId}>{title}</h2>
      {children(close)}
    </dialog>
  )
}

interface DialogProps {
  title: string
  wide?: boolean
  /** Text of the button that runs the action. */
  confirm: string
  danger?: boolean
  /** The dialog closes afterwards. An error stays in the dialog. `closed` aborts if the user closes the dialog first. */
  onConfirm(closed: AbortSignal): Promise<unknown>
  /** Subject of the action. When it changes, the error of an earlier attempt disappears. */
  subject?: unknown
  onClose(): void
  children: ComponentChildren
}

/** Asks for confirmation of an action. */
export function Dialog({ title, wide, confirm, danger, onConfirm, subject, onClose, children }: DialogProps) {
  const closed = useRef(new AbortController())
  const close = () => {
    closed.current.abort()
    onClose()
  }
  const action = useAction(async () => {
    const { signal } = closed.current
    try {
      await onConfirm(signal)
    } catch (error) {
      if (!signal.aborted) throw error
      // Other errors are a result of the aborted request.
      if (error instanceof HostingError) notifyError(error)
    }
    // If the user has closed this dialog, another one may be open by now.
    if (!signal.aborted) onClose()
  })
  useEffect(action.clear, [subject])
  const submit = (event: Event) => {
    event.preventDefault()
    void action.run()
  }
  return (
    <DialogFrame title={title} wide={wide} onClose={close}>
      {closeFrame => (
        <form onSubmit={submit}>
          <div class="body">
            {children}
            {action.error && <Problem error={action.error} />}
          </div>
          <div class="actions">
            <Button onClick={closeFrame}>Cancel</Button>
            <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={action.isRunning}>
              {confirm}
            </Button>
          </div>
        </form>
      )}
    </DialogFrame>
  )
}
