import type { RowBuffer } from '../rows/row-buffer.ts'
import { RowList } from '../rows/row-list.tsx'
import { type LogLine, outcomeText, rowText, timeText } from './log-text.ts'

/** Must match log.css. */
const ROW_HEIGHT = 20

interface LogListProps {
  buffer: RowBuffer<LogLine>
  selected: number | undefined
  onSelect(number: number): void
  /** Lines show the phase that they belong to. */
  hasPhases?: boolean | undefined
}

/** Lines of a log, newest last. */
export function LogList({ hasPhases, ...props }: LogListProps) {
  return (
    <RowList
      {...props}
      label="Log lines"
      rowHeight={ROW_HEIGHT}
      newest="last"
      classOf={({ level = 'info', release }) => `log-row ${level}${release === undefined ? '' : ' release'}`}
      content={line => <Line line={line} hasPhase={hasPhases} />}
    />
  )
}

function Line({ line, hasPhase }: { line: LogLine; hasPhase: boolean | undefined }) {
  const outcome = outcomeText(line)
  return (
    <>
      <span class="time">{timeText(line.timestamp)}</span>
      <span class="level">{line.level ?? 'info'}</span>
      {hasPhase && <span class="phase">{line.phase.toLowerCase().replace('_', ' ')}</span>}
      <span class="message">
        <bdi>{rowText(line)}</bdi>
        {outcome && <span class="outcome"> {outcome}</span>}
      </span>
    </>
  )
}
