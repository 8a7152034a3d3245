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

/** Maximum number of items in a request. */
const MAX_ITEMS = 10_000

async function removeAll(items: readonly UnusedItem[]): Promise<PruneResult> {
  const all: PruneResult = { items: [], bytes: 0, kept: [] }
  for (let start = 0; start < items.length; start += MAX_ITEMS) {
    const chosen = items.slice(start, start + MAX_ITEMS).map(({ kind, id }) => ({ kind, id }))
    const body: PruneRequest = { items: chosen }
    const removed = await request<PruneResult>('POST', '/api/prune', { body })
    all.items.push(...removed.items)
    all.kept.push(...removed.kept)
    all.bytes += removed.bytes
  }
  return all
}

/** Removes items after confirmation. The daemon keeps those that are in use again. */
export function RemoveUnusedDialog({ items, onRemoved, onClose }: RemoveUnusedDialogProps) {
  const remove = async () => {
    const result = await removeAll(items)
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
