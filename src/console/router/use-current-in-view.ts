import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { path } from './router.ts'

/** Ref of a row of links that may be wider than its container. The row scrolls to the link of the current page. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = row.current!.querySelector('[aria-current]')
    // `scrollIntoView` would also scroll the page.
    if (current) row.current!.scrollLeft += centerOf(current) - centerOf(row.current!)
  }, [path.value])
  return row
}

function centerOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect()
  return left + width / 2
}
