import { printable } from '../../shared/format/printable.ts'
import { wrapText } from './wrap.ts'

/** Columns of text are not made narrower than this. */
const MIN_TEXT_COLUMN = 24
const GAP = 2

/**
 * Aligned columns, two spaces apart, header first. With `width` (columns of a terminal), long text is wrapped, and the last
 * columns that still do not fit are printed below their row. Nothing is cut, so that ids and URLs can be copied.
 */
export function formatTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const cells = [headers, ...rows].map(row => row.map(onOneLine))
  const widths = headers.map((_, column) => Math.max(...cells.map(row => row[column]?.length ?? 0)))
  narrowTexts(cells, widths, width)
  const kept = Math.max(1, countFitting(widths, width))
  const [head, ...body] = cells
  const aligned = (row: string[]) => alignRow(row.slice(0, kept), widths)
  return [
    ...aligned(head!),
    ...body.flatMap(row => [...aligned(row), ...rowsBelow(row, { head: head!, kept, width })]),
  ]
}

/** Printable text without line breaks. */
export function onOneLine(cell: string): string {
  return printable(cell).replace(/\s*\n\s*/g, ' ')
}

/** Narrows the widest columns of text until the table fits or all are at their minimum. */
function narrowTexts(cells: readonly string[][], widths: number[], width: number): void {
  const isText = (column: number) => cells.slice(1).some(row => row[column]?.includes(' '))
  const minimums = widths.map((_, column) => minimumWidth(cells, column))
  for (let excess = totalWidth(widths) - width; excess > 0; excess--) {
    const texts = widths.map((one, column) => (one > minimums[column]! && isText(column) ? one : 0))
    const widest = texts.indexOf(Math.max(...texts))
    if (texts[widest] === 0) return
    widths[widest]!--
  }
}

/** Width that keeps the longest word whole. In the last column, a longer word may stick out, because no column follows. */
function minimumWidth(cells: readonly string[][], column: number): number {
  if (column === cells[0]!.length - 1) return MIN_TEXT_COLUMN
  const words = cells.flatMap(row => row[column]?.split(' ') ?? [])
  return Math.max(MIN_TEXT_COLUMN, ...words.map(({ length }) => length))
}

/** Number of columns from the left that fit. */
function countFitting(widths: readonly number[], width: number): number {
  const fitting = widths.findIndex((_, column) => totalWidth(widths.slice(0, column + 1)) > width)
  return fitting < 0 ? widths.length : fitting
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1))
}

/** One line, or several if text is wrapped. */
function alignRow(row: readonly string[], widths: readonly number[]): string[] {
  const columns = row.map((cell, column) => wrapText(cell, widths[column]!))
  const height = Math.max(...columns.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, column) => (lines[line] ?? '').padEnd(widths[column]!))
      .join(' '.repeat(GAP))
      .trimEnd(),
  )
}

/** The columns from `kept`, with their headers. */
function rowsBelow(
  row: readonly string[],
  { head, kept, width }: { head: readonly string[]; kept: number; width: number },
): string[] {
  const rest = head.slice(kept)
  const label = Math.max(0, ...rest.map(({ length }) => length))
  return rest.flatMap((header, index) => {
    const cell = row[kept + index] ?? ''
    if (cell === '') return []
    const prefix = `${header.padEnd(label)}  `
    const longest = Math.max(...cell.split(' ').map(({ length }) => length))
    // A URL that only fits without its label is printed below it.
    if (prefix.length + 2 + longest > width && 4 + longest <= width)
      return [`  ${header}`, ...wrapText(`    ${cell}`, width)]
    return wrapText(`  ${prefix}${cell}`, width, { indent: prefix.length })
  })
}
