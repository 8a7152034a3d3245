import { HostingError } from '../shared/errors.ts'

/** What a shell would do more than take words apart. */
const OPERATORS = /[|&;<>`]|\$[({\w]/

/**
 * The words of a command as a POSIX shell splits them: blanks, quotes and backslashes. Throws INVALID_REQUEST for an open
 * quote, and for what only a shell can do.
 */
export function splitShellWords(text: string): string[] {
  const words = [...text.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+|\S/gs)].map(([word]) => word)
  const strange = words.find(word => isUnfinished(word) || OPERATORS.test(withoutQuotes(word)))
  if (strange === undefined && words.length > 0) return words.map(unquote)
  if (strange === undefined) throw new HostingError('INVALID_REQUEST', '--command is empty.')
  throw new HostingError(
    'INVALID_REQUEST',
    isUnfinished(strange)
      ? `--command has a quote that does not end: ${strange}`
      : `--command holds ${strange}, which only a shell understands.`,
    { details: `Let a shell run it: --command "sh -c '…'"` },
  )
}

const PARTS = /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^'"\\]+)/gs

function unquote(word: string): string {
  return word.replace(PARTS, (_part, single, double, escaped, plain) =>
    // Within double quotes a backslash is only special before these (POSIX 2.2.3).
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
