import type { PruneRequest, PruneResult, UnusedItem } from '../../../shared/contract/daemon/prune.ts'
import { counted } from '../../../shared/counted.ts'
import { formatBytes } from '../../../shared/format/metric-format.ts'
import { request } from '../../api/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { sizeOf } from './unused-text.ts'

interface RemoveUnusedDialogProps {
  items: readonly UnusedItem[]
  onRemoved(result: PruneResult): void
  onClose(): void
}

/** Removes items after confirmation. The daemon keeps those that are in use again. */
export function RemoveUnusedDialog({ items, onRemoved, onClose }: RemoveUnusedDialogProps) {
  const remove = async () => {
    const body: PruneRequest = { items: items.map(({ kind, id }) => ({ kind, id })) }
    const result = await request<PruneResult>('POST', '/api/prune', { body })
    notify(`Removed ${counted(result.items.length, 'item')}, ${formatBytes(result.bytes)}.`)
    onRemoved(result)
  }
  const kinds = [...Map.groupBy(items, ({ kind }) => kind)]
  return (
    <Dialog
      title={`Permanently remove ${counted(items.length, 'item')}?`}
      confirm="Remove"
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <ul>
        {kinds.map(([kind, own]) => (
          <li key={kind}>
            {own.length} × {kind}, {sizeOf(own)}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
