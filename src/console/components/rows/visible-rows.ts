const OVERSCAN = 12

interface Viewport {
  scrollTop: number
  height: number
}

/** Range of rows that are visible or nearly so. `to` is exclusive. */
export function visibleRows({ scrollTop, height }: Viewport, rowHeight: number, count: number) {
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN)
  const to = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + OVERSCAN)
  return { from: Math.min(from, count), to }
}

/** Nearest scroll position at which a row is visible. */
export function scrollToRow(index: number, { scrollTop, height }: Viewport, rowHeight: number): number {
  const top = index * rowHeight
  if (top < scrollTop) return top
  return Math.max(scrollTop, top + rowHeight - height)
}

/** Scroll position at which a row is in the middle. */
export function scrollToCentre(index: number, height: number, rowHeight: number): number {
  return Math.max(0, index * rowHeight - (height - rowHeight) / 2)
}

const PAGE = 20

interface Rows {
  count: number
  newest: 'first' | 'last'
}

/**
 * Row that a key moves to. Without a selection, an arrow or page key selects the newest row. Undefined for other keys and an
 * empty list.
 */
export function nextPosition(key: string, position: number | undefined, { count, newest }: Rows) {
  const last = count - 1
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }
  if (count === 0) return undefined
  if (key === 'Home') return 0
  if (key === 'End') return last
  const step = steps[key]
  if (step === undefined) return undefined
  if (position === undefined) return newest === 'last' ? last : 0
  return Math.max(0, Math.min(last, position + step))
}
