import { useEffect, useRef } from 'preact/hooks'
import { printable } from '../../../shared/format/printable.ts'
import { LongText } from '../text/text.tsx'

/** A web URL. Only web URLs leave the page. Others, such as `javascript:` and `file:`, are never opened. */
export function webUrl(uri: string): URL | undefined {
  if (!URL.canParse(uri)) return undefined
  const url = new URL(uri)
  return /^https?:$/.test(url.protocol) ? url : undefined
}

interface LeaveProps {
  url: URL
  onClose(isOpened: boolean): void
}

/** Asks for confirmation before opening a page that a server named. */
export function LeaveDialog({ url, onClose }: LeaveProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpened = useRef(false)
  useEffect(() => dialog.current!.showModal(), [])
  const open = () => {
    window.open(url.href, '_blank', 'noopener,noreferrer')
    isOpened.current = true
    dialog.current!.close()
  }
  return (
    <dialog
      ref={dialog}
      class="sf-dialog"
      aria-label={`Open ${url.host}?`}
      onClose={() => onClose(isOpened.current)}
    >
      <p>
        Open <strong>{printable(url.host)}</strong> in a new tab?
      </p>
      {/* The parsed URL shows what the browser will open, for example Punycode in place of look-alike letters. */}
      <code>
        <LongText value={url.href} max={2000} />
      </code>
      <div class="sf-actions">
        <button type="button" class="sf-button" onClick={() => dialog.current!.close()}>
          Cancel
        </button>
        <button type="button" class="sf-button sf-primary" onClick={open}>
          Open
        </button>
      </div>
    </dialog>
  )
}
