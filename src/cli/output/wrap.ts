import { SHELL_WORD } from '../../shared/shell-words.ts'

/**
 * Breaks text at spaces into lines of at most `width` columns. Longer words, such as URLs and ids, stay whole, so that they can
 * be copied. Continuation lines are indented like their first line, plus `indent`.
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

/** Indent of a command below its description, and of a continuation below the command. */
const COMMAND_INDENT = 2

/**
 * A command as one indented line, with spaces that fill a row where the next word does not fit. The terminal then breaks the line
 * between words and still copies it as one command. Longer words stay whole.
 */
export function wrapCommand(command: string, width: number): string {
  const [first = '', ...words] = command.match(SHELL_WORD) ?? []
  let line = ' '.repeat(COMMAND_INDENT) + first
  for (const word of words) {
    const free = width - 1 - ((line.length - 1) % width)
    const fits = word.length < free || word.length + 2 * COMMAND_INDENT > width
    line += (fits ? ' ' : ' '.repeat(free + 2 * COMMAND_INDENT)) + word
  }
  return line
}

function plainLength(text: string): number {
  return text.length
}
