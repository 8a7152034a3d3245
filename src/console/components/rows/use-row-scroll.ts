import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { scrollToCentre, scrollToRow } from './visible-rows.ts'

interface ScrollOptions {
  newest: 'first' | 'last'
  count: number
  /** Distance of row 0 from the top of the list. It changes when rows are added or removed above. */
  offset: number
  rowHeight: number
  /** Position of the selected row. It stays in sight when the height of the list changes. */
  selected: number | undefined
  /** Position of a row that stays in sight when rows are added. */
  held: number | undefined
}

/** Keeps a list at the held row, at its newest row, or at the rows that the user has scrolled to. */
export function useRowScroll({ newest, count, offset, rowHeight, selected, held }: ScrollOptions) {
  const list = useRef<HTMLDivElement>(null)
  const viewport = useSignal({ scrollTop: 0, height: 600 })
  const isAtNewest = useSignal(true)
  const latest = useRef({ selected, held })
  latest.current = { selected, held }
  const toNewest = () => {
    list.current!.scrollTop = newest === 'last' ? list.current!.scrollHeight : 0
  }
  const measure = () => {
    // The last event may arrive just after the list was removed.
    if (!list.current) return
    const { scrollTop, clientHeight, scrollHeight } = list.current
    viewport.value = { scrollTop, height: clientHeight }
    const distance = newest === 'last' ? scrollHeight - scrollTop - clientHeight : scrollTop
    isAtNewest.value = distance < rowHeight
  }
  const keepPlace = () => {
    const { held } = latest.current
    if (held !== undefined)
      list.current!.scrollTop = scrollToCentre(held, list.current!.clientHeight, rowHeight)
    else if (isAtNewest.peek()) toNewest()
  }
  const showSelected = () => {
    const { selected, held } = latest.current
    if (selected === undefined || held !== undefined) return
    const { scrollTop, clientHeight: height } = list.current!
    list.current!.scrollTop = scrollToRow(selected, { scrollTop, height }, rowHeight)
  }
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      // The last call happens just after the list was removed.
      if (!list.current) return
      keepPlace()
      showSelected()
      measure()
    })
    observer.observe(list.current!)
    return () => observer.disconnect()
  }, [])
  const lastOffset = useRef(offset)
  useLayoutEffect(() => {
    if (held === undefined && !isAtNewest.peek()) list.current!.scrollTop += offset - lastOffset.current
    else keepPlace()
    lastOffset.current = offset
  }, [count, offset, held])
  return { list, viewport: viewport.value, isAtNewest: isAtNewest.value, toNewest, measure }
}
