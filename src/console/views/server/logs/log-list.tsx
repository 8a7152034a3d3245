import type { RowBuffer } from '../../../components/rows/row-buffer.ts'
import { RowList } from '../../../components/rows/row-list.tsx'
import { type LogLine, outcomeText, rowText, timeText } from './log-text.ts'

/** As in logs.css. */
const ROW_HEIGHT = 20

interface LogListProps {
  buffer: RowBuffer<LogLine>
  selected: number | undefined
  onSelect(number: number): void
}

/** Lines of a log, newest last. */
export function LogList(props: LogListProps) {
  return (
    <RowList
      {...props}
      label="Log lines"
      rowHeight={ROW_HEIGHT}
      newest="last"
      classOf={({ level = 'info', release }) => `log-row ${level}${release === undefined ? '' : ' release'}`}
      content={line => <Line line={line} />}
    />
  )
}

function Line({ line }: { line: LogLine }) {
  const outcome = outcomeText(line)
  return (
    <>
      <span class="time">{timeText(line.timestamp)}</span>
      <span class="level">{line.level ?? 'info'}</span>
      <span class="message">
        <bdi>{rowText(line)}</bdi>
        {outcome && <span class="outcome"> {outcome}</span>}
      </span>
    </>
  )
}
