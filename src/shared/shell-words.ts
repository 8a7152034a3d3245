import { HostingError } from './errors.ts'

/** A word with its quotes. */
export const SHELL_WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+|\S/gs

/** Shell syntax other than words and quotes. */
const OPERATORS = /[|&;<>`]|\$[({\w]/

/**
 * Splits a command into words as a POSIX shell does, with quotes and backslashes. Throws INVALID_REQUEST for an empty command,
 * an open quote, and syntax that only a shell interprets.
 */
export function splitShellWords(text: string): string[] {
  const words = text.match(SHELL_WORD) ?? []
  const invalid = words.find(word => isUnfinished(word) || OPERATORS.test(withoutQuotes(word)))
  if (invalid === undefined && words.length > 0) return words.map(unquote)
  if (invalid === undefined) throw new HostingError('INVALID_REQUEST', '--command is empty.')
  throw new HostingError(
    'INVALID_REQUEST',
    isUnfinished(invalid)
      ? `--command has an unterminated quote: ${invalid}`
      : `--command contains ${invalid}, which only a shell interprets.`,
    { details: `Run it with a shell: --command "sh -c '…'"` },
  )
}

const PARTS = /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^'"\\]+)/gs

function unquote(word: string): string {
  return word.replace(PARTS, (_part, single, double, escaped, plain) =>
    // In double quotes, a backslash only escapes these characters (POSIX 2.2.3).
    double === undefined ? (single ?? escaped ?? plain) : double.replace(/\\([$`"\\])/g, '$1'),
  )
}

function withoutQuotes(word: string): string {
  return word.replace(PARTS, (_part, single, double, escaped, plain) => {
    if (single !== undefined || escaped !== undefined) return ''
    return double === undefined ? plain : double.replace(/\\./g, '').replace(/[|&;<>]/g, '')
  })
}

function isUnfinished(word: string): boolean {
  return /['"\\]/.test(word.replace(PARTS, ''))
}

/** Quotes a word for a POSIX shell, because suggested commands contain text from servers. */
export function quoteShellWord(text: string): string {
  return /^[\w./:@=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
