import { useSignal } from '@preact/signals'
import { bound } from '../../components/bound.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notifyError } from '../../components/notices.tsx'
import { navigate } from '../../router/router.ts'
import { serverPath } from '../paths.ts'
import { deployDefinition } from './deploy-definition.ts'
import { EXAMPLE } from './example.ts'

/** Builds a definition, deploys it to development and opens its playground. */
export function DeployDialog({ onClose }: { onClose(): void }) {
  const text = useSignal(JSON.stringify(EXAMPLE, null, 2))
  const deploy = async (closed: AbortSignal) => {
    const name = await deployDefinition(text.value)
    if (!closed.aborted) navigate(serverPath(name, '/playground', 'development'))
  }
  const read = async (files: FileList | null | undefined) => {
    if (files?.[0]) text.value = await files[0].text()
  }
  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer?.files.length === 0) return
    event.preventDefault()
    void read(event.dataTransfer?.files).catch(notifyError)
  }
  return (
    <Dialog title="New server" confirm="Deploy to development" onConfirm={deploy} onClose={onClose}>
      <label class="field">
        Definition
        <textarea
          class="input mono"
          rows={16}
          spellcheck={false}
          ref={moveToStart}
          onDragOver={event => event.preventDefault()}
          onDrop={onDrop}
          {...bound(text)}
        />
      </label>
      <p class="muted">
        The content of an <code>mcp.config.json</code>. A server with this name in development is replaced.
      </p>
      <label class="field">
        Or a file, which can also be dropped above
        <input
          type="file"
          accept=".json,application/json"
          onChange={event => void read(event.currentTarget.files).catch(notifyError)}
        />
      </label>
    </Dialog>
  )
}

/** A text field that gets the focus scrolls to its caret, which is at the end of a value set by a script. */
function moveToStart(field: HTMLTextAreaElement | null): void {
  field?.setSelectionRange(0, 0)
}
