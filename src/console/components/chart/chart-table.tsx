import { type Column, PlainTable, Table } from '../table.tsx'
import { timeLabel } from './time-labels.ts'
import { marksAt, type TimeSeries } from './time-series.ts'

interface ChartTableProps {
  caption: string
  series: TimeSeries
  /** Heading of the column with the marks. */
  marked: string
  /** False leaves the table to screen readers only. */
  isShown: boolean
}

/** The values of charts, newest first. Steps in which nothing happened are left out. */
export function ChartTable({ caption, series, marked, isShown }: ChartTableProps) {
  const { times, measures, marks } = series
  const columns: Column<number>[] = [
    { name: 'Time', kind: 'head', wide: true, cell: index => timeLabel(times[index]!) },
    ...measures.map(({ name, values, format }) => ({
      name,
      kind: 'number' as const,
      cell: (index: number) => formatted(values[index], format),
    })),
  ]
  if (marks.length > 0) columns.push({ name: marked, cell: index => marksAt(series, times[index]!) || '–' })
  const rows = [...times.keys()].filter(
    index => measures.some(({ values }) => values[index]) || marksAt(series, times[index]!),
  )
  const table = { caption, columns, rows: rows.toReversed(), keyOf: String }
  return (
    <div class={isShown ? 'chart-table' : 'hidden'}>
      {isShown ? <Table {...table} /> : <PlainTable {...table} />}
    </div>
  )
}

export function formatted(value: number | null | undefined, format: (value: number) => string): string {
  return value == null ? '–' : format(value)
}
