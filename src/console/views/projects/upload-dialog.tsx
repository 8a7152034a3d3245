import { useSignal } from '@preact/signals'
import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import { SOURCE_LIMIT_BYTES, sourceTooLarge } from '../../../shared/contract/projects/source-limit.ts'
import { HostingError } from '../../../shared/errors.ts'
import { formatBytes } from '../../../shared/format/metric-format.ts'
import { quoteShellWord } from '../../../shared/shell-words.ts'
import { request } from '../../api/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { notify } from '../../components/notices.tsx'
import { shown, Text } from '../../components/text.tsx'

interface UploadDialogProps {
  project: ProjectRecord
  onDone(): void
  onClose(): void
}

/** Uploads an archive that the user chooses or drops. */
export function UploadDialog({ project: { id, name }, onDone, onClose }: UploadDialogProps) {
  const file = useSignal<File | undefined>(undefined)
  const upload = async (closed: AbortSignal) => {
    if (!file.value) throw new HostingError('INVALID_REQUEST', 'Choose an archive (.tar.gz or .zip).')
    const body = archiveOf(file.value)
    await request('PUT', `/api/projects/${encodeURIComponent(id)}/source`, { body, signal: closed })
    notify(`Uploaded the source of ${shown(name, 100)}.`)
    onDone()
  }
  return (
    <Dialog
      title={`Upload the source of ${shown(name, 100)}`}
      confirm="Upload"
      onConfirm={upload}
      onClose={onClose}
    >
      <FileDrop file={file.value} onFile={chosen => (file.value = chosen)} />
      <p class="muted">
        To upload a folder, run <code class="wrap">mcp projects upload {quoteShellWord(id)} .</code> It leaves
        out what <code>.gitignore</code> and <code>.mcpignore</code> exclude.
      </p>
    </Dialog>
  )
}

/** The archive with the media type of its format, which differs between browsers. */
function archiveOf(file: File): Blob {
  const type = /\.(?:tar\.gz|tgz)$/i.test(file.name)
    ? 'application/gzip'
    : /\.zip$/i.test(file.name) && 'application/zip'
  if (!type)
    throw new HostingError('INVALID_REQUEST', `${shown(file.name, 200)} is not a .tar.gz or .zip archive.`)
  if (file.size > SOURCE_LIMIT_BYTES) throw sourceTooLarge()
  return file.slice(0, file.size, type)
}

function FileDrop({ file, onFile }: { file: File | undefined; onFile(file: File): void }) {
  const isOver = useSignal(false)
  const take = (files: FileList | null | undefined) => {
    if (files?.[0]) onFile(files[0])
  }
  return (
    <label
      class={isOver.value ? 'file-drop over' : 'file-drop'}
      onDragOver={event => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => {
        isOver.value = false
      }}
      onDrop={event => {
        event.preventDefault()
        isOver.value = false
        take(event.dataTransfer?.files)
      }}
    >
      <input
        class="hidden"
        type="file"
        aria-label="Archive"
        accept=".tar.gz,.tgz,.zip,application/gzip,application/zip"
        onChange={event => take(event.currentTarget.files)}
      />
      <Icon name="upload" />
      {file ? (
        <span class="wrap">
          <Text value={file.name} max={200} /> <span class="muted">{formatBytes(file.size)}</span>
        </span>
      ) : (
        <span>
          Choose an archive, or drop it here <span class="muted">.tar.gz or .zip, up to 100 MiB</span>
        </span>
      )}
    </label>
  )
}
