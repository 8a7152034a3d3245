const OVERSCAN = 12

interface Viewport {
  scrollTop: number
  height: number
}

/** First and last row that are in sight or close to it. `to` is exclusive. */
export function visibleRows({ scrollTop, height }: Viewport, rowHeight: number, count: number) {
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN)
  const to = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + OVERSCAN)
  return { from: Math.min(from, count), to }
}

/** Where to scroll so that a row is in sight. */
export function scrollToRow(index: number, { scrollTop, height }: Viewport, rowHeight: number): number {
  const top = index * rowHeight
  if (top < scrollTop) return top
  return Math.max(scrollTop, top + rowHeight - height)
}
