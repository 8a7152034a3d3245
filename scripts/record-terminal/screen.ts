import type { IBuffer, IBufferCell } from '@xterm/headless'

/** Text in one style. */
export interface Run {
  text: string
  /** A CSS class: `c2` for palette colour 2. Undefined for the default colour. */
  colour: string | undefined
  bold: boolean
  dim: boolean
}

export type Line = readonly Run[]

/** Lines of a terminal from the top of its scroll-back, without empty ones at the end. */
export function readScreen(buffer: IBuffer, columns: number): Line[] {
  const lines = Array.from({ length: buffer.length }, (_, row) => readLine(buffer, row, columns))
  const last = lines.findLastIndex(line => line.some(run => run.text.trim() !== ''))
  return lines.slice(0, last + 1)
}

function readLine(buffer: IBuffer, row: number, columns: number): Line {
  const line = buffer.getLine(row)!
  const runs: Run[] = []
  for (let column = 0; column < columns; column++) {
    const cell = line.getCell(column)
    if (!cell || cell.getWidth() === 0) continue
    const run = toRun(cell)
    const last = runs.at(-1)
    if (last && last.colour === run.colour && last.bold === run.bold && last.dim === run.dim)
      last.text += run.text
    else runs.push(run)
  }
  return runs
}

function toRun(cell: IBufferCell): Run {
  return {
    text: cell.getChars() || ' ',
    colour: cell.isFgPalette() ? `c${cell.getFgColor()}` : undefined,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
  }
}
