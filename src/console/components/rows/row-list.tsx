import './row-list.css'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
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
  /** Names of the columns. */
  head?: ComponentChildren
}

/** Rows of a fixed height, of which only the visible ones are in the document. */
export function RowList<T>(props: RowListProps<T>) {
  const { label, buffer, rowHeight, newest, selected, classOf, content, head } = props
  // Reading the version renders the list again when the buffer changes.
  void buffer.version.value
  const { first, count } = buffer
  const last = first + count - 1
  const numberAt = (position: number) => (newest === 'last' ? first + position : last - position)
  const positionOf = (number: number) => (newest === 'last' ? number - first : last - number)
  // A row that the user did not select, such as one from the URL, stays in sight until the user moves through the list.
  const chosen = useRef<number | undefined>(undefined)
  const held = selected === chosen.current ? undefined : selected
  const release = () => {
    chosen.current = selected
  }
  const onSelect = (number: number) => {
    chosen.current = number
    props.onSelect(number)
  }
  const { list, viewport, isAtNewest, toNewest, measure } = useRowScroll({
    newest,
    count,
    offset: positionOf(0) * rowHeight,
    rowHeight,
    selected: selected === undefined ? undefined : positionOf(selected),
    held: held === undefined ? undefined : positionOf(held),
  })
  const onKey = (event: KeyboardEvent) => {
    release()
    const current = selected === undefined ? undefined : positionOf(selected)
    const position = nextPosition(event.key, current, { count, newest })
    if (position === undefined) return
    event.preventDefault()
    onSelect(numberAt(position))
    list.current!.scrollTop = scrollToRow(position, viewport, rowHeight)
  }
  const showNewest = () => {
    release()
    toNewest()
    measure()
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
      {head && <div class="rows-head">{head}</div>}
      <div
        ref={list}
        class="rows"
        style={{ '--row-height': `${rowHeight}px` }}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={isSelectedShown ? `row-${selected}` : undefined}
        onScroll={measure}
        onWheel={release}
        onTouchMove={release}
        onPointerDown={release}
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
        <Button icon={newest === 'last' ? 'down' : 'up'} class={`to-newest ${newest}`} onClick={showNewest}>
          Newest
        </Button>
      )}
    </div>
  )
}
