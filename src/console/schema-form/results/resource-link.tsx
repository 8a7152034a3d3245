import { useSignal } from '@preact/signals'
import { LongText, Name } from '../text/text.tsx'
import { LeaveDialog, webUrl } from './leave-dialog.tsx'

interface LinkProps {
  uri: string
  name?: string
  description?: string
  /** Reads the resource from the server. Without it, only web URLs can be opened. */
  onRead?: (uri: string) => void
}

/** A resource that a result points to. Web URLs open only after the user has seen the whole URL. */
export function ResourceLink({ uri, name, description, onRead }: LinkProps) {
  const isLeaving = useSignal(false)
  const url = webUrl(uri)
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
        <button type="button" class="sf-button" onClick={() => (isLeaving.value = true)}>
          Open…
        </button>
      )}
      {description && (
        <p class="sf-about">
          <LongText value={description} />
        </p>
      )}
      {url && isLeaving.value && <LeaveDialog url={url} onClose={() => (isLeaving.value = false)} />}
    </div>
  )
}
