import { withoutStyle } from './style.ts'
import { wrapText } from './wrap.ts'

/** Columns of a terminal. Infinity for a pipe, and for a pseudo-terminal without a size, which reports 0. */
export function columnsOf(stream: NodeJS.WriteStream): number {
  return (stream.isTTY && stream.columns) || Number.POSITIVE_INFINITY
}

/** Wrapped at words for a terminal. Unchanged for a pipe. */
export function wrapFor(text: string, stream: NodeJS.WriteStream, indent = 0): string {
  const lengthOf = (part: string) => withoutStyle(part).length
  return wrapText(text, columnsOf(stream), { indent, lengthOf }).join('\n')
}
