/**
 * Breaks text at spaces into lines of at most `width` columns. Longer words, such as URLs and ids, stay whole, so that they
 * can be copied. Continuation lines are indented like their first line, and by `indent`.
 */
export function wrapText(
  text: string,
  width: number,
  { indent = 0, lengthOf = plainLength }: { indent?: number; lengthOf?(text: string): number } = {},
): string[] {
  return text.split('\n').flatMap(line => wrapLine(line, width, { indent, lengthOf }))
}

function wrapLine(
  line: string,
  width: number,
  { indent, lengthOf }: { indent: number; lengthOf(text: string): number },
): string[] {
  if (lengthOf(line) <= width) return [line]
  const own = /^ */.exec(line)![0]
  const next = own + ' '.repeat(indent)
  const lines: string[] = []
  let current = own
  for (const word of line.slice(own.length).split(' ')) {
    const isEmpty = current === own
    const fits = lengthOf(current) + 1 + lengthOf(word) <= width
    // A word that is too long for any line stays where it is, and the terminal breaks it.
    const isTooLong = next.length + lengthOf(word) > width
    if (!isEmpty && !fits && !isTooLong) {
      lines.push(current.trimEnd())
      current = next + word
    } else current += isEmpty ? word : ` ${word}`
  }
  return [...lines, current]
}

function plainLength(text: string): number {
  return text.length
}
