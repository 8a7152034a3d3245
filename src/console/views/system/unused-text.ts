import type { UnusedItem } from '../../../shared/contract/daemon/prune.ts'
import { formatBytes } from '../../../shared/format/metric-format.ts'

/** Unique among all items. */
export function keyOf({ kind, id }: Pick<UnusedItem, 'kind' | 'id'>): string {
  return `${kind} ${id}`
}

/** Size of all items together. */
export function sizeOf(items: readonly UnusedItem[]): string {
  return formatBytes(items.reduce((sum, { bytes }) => sum + bytes, 0))
}
