import './row-list.css'
import type { ComponentChildren } from 'preact'
import { Button } from '../button.tsx'
import type { RowBuffer } from './row-buffer.ts'
import { useRowScroll } from './use-row-scroll.ts'
import { nextPosition, scrollToRow, visibleRows } from './visible-rows.ts'

interface RowListProps<T> {
  label: string
  buffer: RowBuffer<T>
  /** Must match the style sheet of the rows. */
  rowHeight: number
  /** Where new rows appear. The list shows them until the user scrolls away. */
  newest: 'first' | 'last'
  /** Number of the selected row. */
  selected: number | undefined
  onSelect(number: number): void
  classOf(row: T): string
  content(row: T): ComponentChildren
}

/** Rows of a fixed height, of which only the visible ones are in the document. */
export function RowList<T>(props: RowListProps<T>) {
  const { label, buffer, rowHeight, newest, selected, onSelect, classOf, content } = props
  // A changed buffer renders the list again.
  void buffer.version.value
  const { first, count } = buffer
  const last = first + count - 1
  const numberAt = (position: number) => (newest === 'last' ? first + position : last - position)
  const positionOf = (number: number) => (newest === 'last' ? number - first : last - number)
  const { list, viewport, isAtNewest, toNewest, measure } = useRowScroll({
    newest,
    count,
    offset: positionOf(0) * rowHeight,
    rowHeight,
  })
  const onKey = (event: KeyboardEvent) => {
    const current = selected === undefined ? undefined : positionOf(selected)
    const position = nextPosition(event.key, current, { count, newest })
    if (position === undefined) return
    event.preventDefault()
    onSelect(numberAt(position))
    list.current!.scrollTop = scrollToRow(position, viewport, rowHeight)
  }
  const onClick = ({ target }: MouseEvent) => {
    const row = (target as Element).closest<HTMLElement>('[data-number]')
    if (row) onSelect(Number(row.dataset.number))
  }
  const { from, to } = visibleRows(viewport, rowHeight, count)
  const numbers = Array.from({ length: to - from }, (_, index) => numberAt(from + index))
  const isSelectedShown = selected !== undefined && numbers.includes(selected)
  return (
    <div class="rows-frame">
      <div
        ref={list}
        class="rows"
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={isSelectedShown ? `row-${selected}` : undefined}
        onScroll={measure}
        onKeyDown={onKey}
        onClick={onClick}
      >
        <div class="rows-all" role="presentation" style={{ height: `${count * rowHeight}px` }}>
          <div
            class="rows-window"
            role="presentation"
            style={{ transform: `translateY(${from * rowHeight}px)` }}
          >
            {numbers.map((number, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active row.
              <div
                key={number}
                id={`row-${number}`}
                class={`row ${classOf(buffer.at(number)!)}`}
                role="option"
                aria-selected={number === selected}
                aria-posinset={from + index + 1}
                aria-setsize={count}
                data-number={number}
              >
                {content(buffer.at(number)!)}
              </div>
            ))}
          </div>
        </div>
      </div>
      {!isAtNewest && (
        <Button icon={newest === 'last' ? 'down' : 'up'} class={`to-newest ${newest}`} onClick={toNewest}>
          Newest
        </Button>
      )}
    </div>
  )
}
