import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import type { LogBuffer } from './log-buffer.ts'
import { type LogLine, outcomeText, rowText, timeText } from './log-text.ts'
import { scrollToRow, visibleRows } from './visible-rows.ts'

/** As in logs.css. */
const ROW_HEIGHT = 20

interface LogListProps {
  buffer: LogBuffer
  /** Number of the selected line, counted from the first line that ever arrived. */
  selected: number | undefined
  onSelect(number: number): void
}

/** Lines of a log, of which only those in sight are in the document. It stays at the end until the user scrolls up. */
export function LogList({ buffer, selected, onSelect }: LogListProps) {
  const list = useRef<HTMLDivElement>(null)
  const viewport = useSignal({ scrollTop: 0, height: 600 })
  const isAtEnd = useSignal(true)
  const count = buffer.size.value - buffer.removed
  const toEnd = () => {
    list.current!.scrollTop = list.current!.scrollHeight
  }
  const measure = () => {
    const { scrollTop, clientHeight, scrollHeight } = list.current!
    viewport.value = { scrollTop, height: clientHeight }
    isAtEnd.value = scrollHeight - scrollTop - clientHeight < ROW_HEIGHT
  }
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      // The last call comes when the list has just been removed.
      if (!list.current) return
      if (isAtEnd.peek()) toEnd()
      measure()
    })
    observer.observe(list.current!)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (isAtEnd.peek()) toEnd()
  }, [count])
  const select = (index: number) => {
    onSelect(index + buffer.removed)
    list.current!.scrollTop = scrollToRow(index, viewport.peek(), ROW_HEIGHT)
  }
  const onKey = (event: KeyboardEvent) => {
    const index = nextIndex(event.key, selected === undefined ? undefined : selected - buffer.removed, count)
    if (index === undefined) return
    event.preventDefault()
    select(index)
  }
  const onClick = ({ target }: MouseEvent) => {
    const row = (target as Element).closest('[data-number]')
    if (row) onSelect(Number((row as HTMLElement).dataset.number))
  }
  const range = useComputed(() => visibleRows(viewport.value, ROW_HEIGHT, buffer.size.value - buffer.removed))
  const { from, to } = range.value
  const isSelectedShown =
    selected !== undefined && selected - buffer.removed >= from && selected - buffer.removed < to
  return (
    <div class="log-frame">
      <div
        ref={list}
        class="log"
        role="listbox"
        aria-label="Log lines"
        tabIndex={0}
        aria-activedescendant={isSelectedShown ? `line-${selected}` : undefined}
        onScroll={measure}
        onKeyDown={onKey}
        onClick={onClick}
      >
        <div class="log-lines" role="presentation" style={{ height: `${count * ROW_HEIGHT}px` }}>
          <div
            class="log-window"
            role="presentation"
            style={{ transform: `translateY(${from * ROW_HEIGHT}px)` }}
          >
            {buffer.slice(from, to).map((line, offset) => (
              <Row
                key={from + offset + buffer.removed}
                line={line}
                number={from + offset + buffer.removed}
                position={[from + offset + 1, count]}
                isSelected={from + offset + buffer.removed === selected}
              />
            ))}
          </div>
        </div>
      </div>
      {!isAtEnd.value && (
        <Button icon="down" class="to-end" onClick={toEnd}>
          Newest
        </Button>
      )}
    </div>
  )
}

interface RowProps {
  line: LogLine
  number: number
  position: readonly [index: number, count: number]
  isSelected: boolean
}

function Row({ line, number, position: [index, count], isSelected }: RowProps) {
  const level = line.level ?? 'info'
  const outcome = outcomeText(line)
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active line.
    <div
      id={`line-${number}`}
      class={`log-row ${level}${line.release === undefined ? '' : ' release'}`}
      role="option"
      aria-selected={isSelected}
      aria-posinset={index}
      aria-setsize={count}
      data-number={number}
    >
      <span class="time">{timeText(line.timestamp)}</span>
      <span class="level">{level}</span>
      <span class="message">
        <bdi>{rowText(line)}</bdi>
        {outcome && <span class="outcome"> {outcome}</span>}
      </span>
    </div>
  )
}

const PAGE = 20

/** Row that a key moves to. Undefined for other keys. */
function nextIndex(key: string, index: number | undefined, count: number): number | undefined {
  const last = count - 1
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }
  if (count === 0) return undefined
  if (key === 'Home') return 0
  if (key === 'End') return last
  const step = steps[key]
  if (step === undefined) return undefined
  return index === undefined ? last : Math.max(0, Math.min(last, index + step))
}
