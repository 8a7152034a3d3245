/** Position in a file of the project. Line and column start at 1. */
export interface CodePlace {
  file: string
  line: number
  column: number
}

const MAX_LINE = 160

/**
 * `tools/add.ts:3:17: Expected ")"` and the line with a caret under the position:
 * ```
 *   3 | const x = (1 + 2}
 *     |                 ^
 * ```
 */
export function codeFrame(
  place: CodePlace,
  message: string,
  lineText: string | undefined,
  length = 1,
): string {
  const head = `${placeName(place)}: ${message}`
  if (lineText === undefined || lineText.length > MAX_LINE) return head
  const number = String(place.line)
  const before = lineText.slice(0, place.column - 1).replace(/[^\t]/g, ' ')
  const carets = '^'.repeat(Math.max(1, Math.min(length, lineText.length - place.column + 1)))
  return `${head}\n  ${number} | ${lineText}\n  ${' '.repeat(number.length)} | ${before}${carets}`
}

export function placeName({ file, line, column }: CodePlace): string {
  return `${file}:${line}:${column}`
}
