import { useRef } from 'preact/hooks'
import { printable } from '../../../shared/format/printable.ts'
import { LongText, Name } from '../text/text.tsx'

interface LinkProps {
  uri: string
  name?: string
  description?: string
  /** Reads the resource from the server. Without it, only web URLs can be opened. */
  onRead?: (uri: string) => void
}

/** A resource that a result points to. Web URLs open only after the user has seen the whole URL. */
export function ResourceLink({ uri, name, description, onRead }: LinkProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const url = webAddress(uri)
  return (
    <div class="sf-resource">
      <span class="sf-name">
        <Name value={name ?? 'Resource'} />
      </span>
      <code>
        <LongText value={uri} max={200} />
      </code>
      {onRead && (
        <button type="button" class="sf-button" onClick={() => onRead(uri)}>
          Read
        </button>
      )}
      {url && (
        <button type="button" class="sf-button" onClick={() => dialog.current?.showModal()}>
          Open…
        </button>
      )}
      {description && (
        <p class="sf-about">
          <LongText value={description} />
        </p>
      )}
      {url && <LeaveDialog url={url} element={dialog} />}
    </div>
  )
}

/** A web URL. Only web URLs leave the page. Others, such as `javascript:` and `file:`, have no button. */
function webAddress(uri: string): URL | undefined {
  if (!URL.canParse(uri)) return undefined
  const url = new URL(uri)
  return /^https?:$/.test(url.protocol) ? url : undefined
}

function LeaveDialog({ url, element }: { url: URL; element: { current: HTMLDialogElement | null } }) {
  const open = () => {
    window.open(url.href, '_blank', 'noopener,noreferrer')
    element.current?.close()
  }
  return (
    <dialog ref={element} class="sf-dialog" aria-label={`Open ${url.host}?`}>
      <p>
        Open <strong>{printable(url.host)}</strong> in a new tab?
      </p>
      {/* The parsed URL shows what the browser will open, for example Punycode in place of look-alike letters. */}
      <code>
        <LongText value={url.href} max={2000} />
      </code>
      <div class="sf-actions">
        <button type="button" class="sf-button" onClick={() => element.current?.close()}>
          Cancel
        </button>
        <button type="button" class="sf-button sf-primary" onClick={open}>
          Open
        </button>
      </div>
    </dialog>
  )
}
