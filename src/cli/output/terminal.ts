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

/** `  label  value` with the value wrapped next to the label, or below it if a word such as a URL does not fit there. */
export function fieldLines(label: string, value: string, labelWidth: number): string[] {
  const longest = Math.max(...value.split(' ').map(word => word.length))
  if (labelWidth + 4 + longest <= columnsOf(process.stdout))
    return [wrapFor(`  ${label}  ${value}`, process.stdout, labelWidth + 2)]
  return [`  ${label.trimEnd()}`, wrapFor(`    ${value}`, process.stdout)]
}
