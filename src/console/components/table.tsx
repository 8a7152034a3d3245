import './table.css'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface Column<T> {
  /** Heading. Read out by screen readers, and shown next to the value on narrow screens. */
  name: string
  /** The heading is only for screen readers. */
  hasNoLabel?: boolean
  kind?: 'head' | 'number' | 'actions'
  /** Fills a whole line of the card on narrow screens. */
  wide?: boolean
  cell(row: T): ComponentChildren
}

interface TableProps<T> {
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf(row: T): string
}

/** A table whose rows become cards on narrow screens. */
export function Table<T>(props: TableProps<T>) {
  const frame = useRef<HTMLElement>(null)
  const canScroll = useCanScroll(frame)
  return (
    <section class="table-frame" ref={frame} {...(canScroll && { tabIndex: 0, 'aria-label': props.caption })}>
      <PlainTable {...props} />
    </section>
  )
}

/** The same table without a frame. */
export function PlainTable<T>({ caption, columns, rows, keyOf }: TableProps<T>) {
  return (
    <table class="table cards">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, kind, hasNoLabel }) => (
            <th key={name} scope="col" class={kind}>
              <span class={hasNoLabel ? 'hidden' : undefined}>{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)}>
            {columns.map(column => (
              <Cell key={column.name} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** True when the table is larger than its frame. The keyboard must then be able to scroll it. */
function useCanScroll(frame: { readonly current: HTMLElement | null }): boolean {
  const canScroll = useSignal(false)
  useEffect(() => {
    const { current } = frame
    const observer = new ResizeObserver(() => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = current!
      canScroll.value = scrollWidth > clientWidth || scrollHeight > clientHeight
    })
    observer.observe(current!)
    observer.observe(current!.firstElementChild!)
    return () => observer.disconnect()
  }, [])
  return canScroll.value
}

function Cell<T>({ column: { name, kind, wide, hasNoLabel, cell }, row }: { column: Column<T>; row: T }) {
  const names = [kind, wide && 'wide'].filter(Boolean).join(' ')
  if (kind === 'head')
    return (
      <th scope="row" class={names}>
        {cell(row)}
      </th>
    )
  return (
    <td class={names}>
      {!hasNoLabel && (
        <span class="table-cell-label" aria-hidden="true">
          {name}
        </span>
      )}
      {cell(row)}
    </td>
  )
}
