import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface ScrollOptions {
  newest: 'first' | 'last'
  count: number
  /** Distance of row 0 from the top of the list. It changes when rows are added or removed above. */
  offset: number
  rowHeight: number
}

/** Keeps a list at its newest row, or at the rows that the user has scrolled to. */
export function useRowScroll({ newest, count, offset, rowHeight }: ScrollOptions) {
  const list = useRef<HTMLDivElement>(null)
  const viewport = useSignal({ scrollTop: 0, height: 600 })
  const isAtNewest = useSignal(true)
  const toNewest = () => {
    list.current!.scrollTop = newest === 'last' ? list.current!.scrollHeight : 0
  }
  const measure = () => {
    const { scrollTop, clientHeight, scrollHeight } = list.current!
    viewport.value = { scrollTop, height: clientHeight }
    const distance = newest === 'last' ? scrollHeight - scrollTop - clientHeight : scrollTop
    isAtNewest.value = distance < rowHeight
  }
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      // The last call comes when the list has just been removed.
      if (!list.current) return
      if (isAtNewest.peek()) toNewest()
      measure()
    })
    observer.observe(list.current!)
    return () => observer.disconnect()
  }, [])
  const lastOffset = useRef(offset)
  useLayoutEffect(() => {
    if (isAtNewest.peek()) toNewest()
    else list.current!.scrollTop += offset - lastOffset.current
    lastOffset.current = offset
  }, [count, offset])
  return { list, viewport: viewport.value, isAtNewest: isAtNewest.value, toNewest, measure }
}
