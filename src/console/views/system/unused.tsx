import { useSignal } from '@preact/signals'
import type { PruneResult, UnusedItem, UnusedList } from '../../../shared/contract/daemon/prune.ts'
import { counted } from '../../../shared/counted.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/button.tsx'
import { Loaded, ReloadButton } from '../../components/loaded.tsx'
import { Table } from '../../components/table.tsx'
import { Text } from '../../components/text.tsx'
import { RemoveUnusedDialog } from './remove-unused-dialog.tsx'
import { unusedColumns } from './unused-columns.tsx'
import { keyOf, sizeOf } from './unused-text.ts'

/** Unused items that can be removed. Finding them reads many files, so no change event loads the list again. */
export function Unused() {
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const isAsking = useSignal(false)
  const kept = useSignal<PruneResult['kept']>([])
  const resource = useResource('unused', {
    load: signal => request<UnusedList>('GET', '/api/prune', { signal }),
    concerns: ({ type }) => type === 'reset',
  })
  const items = resource.value?.items ?? []
  const selected = items.filter(item => chosen.value.has(keyOf(item)))
  return (
    <section class="section">
      <div class="section-head">
        <h2>No longer used</h2>
        <ReloadButton label="Look for unused items again" resource={resource} />
      </div>
      <Loaded resource={resource} what="the unused items">
        {() =>
          items.length === 0 ? (
            <p class="muted">No unused items.</p>
          ) : (
            <Items
              items={items}
              selected={selected}
              chosen={chosen}
              onRemove={() => (isAsking.value = true)}
            />
          )
        }
      </Loaded>
      <Kept kept={kept.value} />
      {isAsking.value && (
        <RemoveUnusedDialog
          items={selected}
          onRemoved={result => {
            kept.value = result.kept
            chosen.value = new Set()
            resource.reload()
          }}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </section>
  )
}

interface ItemsProps {
  items: readonly UnusedItem[]
  selected: readonly UnusedItem[]
  /** Keys of the selected items. */
  chosen: { value: ReadonlySet<string> }
  onRemove(): void
}

function Items({ items, selected, chosen, onRemove }: ItemsProps) {
  const areAllSelected = selected.length === items.length
  const toggle = (item: UnusedItem) => {
    const keys = new Set(chosen.value)
    if (!keys.delete(keyOf(item))) keys.add(keyOf(item))
    chosen.value = keys
  }
  return (
    <>
      <div class="selection">
        <label class="check">
          <input
            type="checkbox"
            checked={areAllSelected}
            onChange={() => {
              chosen.value = new Set(areAllSelected ? [] : items.map(keyOf))
            }}
          />
          Select all
        </label>
        <span class="muted" role="status">
          {selected.length} of {counted(items.length, 'item')}, {sizeOf(selected)} of {sizeOf(items)}
        </span>
        {selected.length > 0 && (
          <Button icon="remove" onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
      <Table
        caption="Items that are no longer used"
        columns={unusedColumns(chosen.value, toggle)}
        rows={items}
        keyOf={keyOf}
      />
    </>
  )
}

/** Selected items that could not be removed. */
function Kept({ kept }: { kept: PruneResult['kept'] }) {
  if (kept.length === 0) return null
  return (
    <ul class="kept" role="alert">
      {kept.map(({ kind, id, reason }) => (
        <li key={`${kind} ${id}`} class="wrap">
          Kept {kind} <Text value={id} max={200} />: <Text value={reason} max={400} />
        </li>
      ))}
    </ul>
  )
}
