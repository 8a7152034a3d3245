import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { HostingError } from '../../shared/errors.ts'
import { ENV_NAME } from '../../shared/names.ts'

/**
 * Variables of a `.env` file in Node's format. Throws INVALID_REQUEST naming file and line, never the text of a line, which may
 * be part of a secret.
 */
export function readEnvFile(file: string): Record<string, string> {
  const text = readText(file)
  const problem = findProblem(text)
  if (problem) throw new HostingError('INVALID_REQUEST', `${file}:${problem.line}: ${problem.message}`)
  return parseEnv(text) as Record<string, string>
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'the file does not exist' : code
    throw new HostingError('INVALID_REQUEST', `Could not read ${file}: ${reason}.`, {
      next: [{ description: 'Give the path of a file with NAME=value lines' }],
      cause,
    })
  }
}

interface Problem {
  /** Counted from 1. */
  line: number
  message: string
}

/** First problem in the file. Node ignores lines that it does not understand. */
function findProblem(text: string): Problem | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (let index = 0; index < lines.length; index++) {
    const problem = lineProblem(lines[index]!)
    if (problem) return { line: index + 1, message: problem }
    const end = lastLineOfValue(lines, index)
    if (end === undefined) return { line: index + 1, message: 'the value has an unterminated quote.' }
    index = end
  }
  return undefined
}

function lineProblem(line: string): string | undefined {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return undefined
  const [, name] = /^(?:export\s+)?([^=]*?)\s*=/.exec(text) ?? []
  if (name === undefined) return 'expected NAME=value.'
  if (ENV_NAME.test(name)) return undefined
  return 'expected NAME=value, where NAME has letters, digits and "_", not starting with a digit.'
}

/** Index of the last line of a value. A quoted value may have several lines. Undefined when no line closes the quote. */
function lastLineOfValue(lines: readonly string[], first: number): number | undefined {
  const line = lines[first]!
  if (line.trimStart().startsWith('#')) return first
  const value = line.slice(line.indexOf('=') + 1).trimStart()
  const quote = /^["'`]/.exec(value)?.[0]
  if (quote === undefined || value.includes(quote, 1)) return first
  const offset = lines.slice(first + 1).findIndex(next => next.includes(quote))
  return offset < 0 ? undefined : first + 1 + offset
}

/** A line that Node reads as this value. Undefined for a value that contains every kind of quote. */
export function formatEnvLine(name: string, value: string): string | undefined {
  return ['', '"', "'", '`']
    .map(quote => `${name}=${quote}${value}${quote}`)
    .find(line => findProblem(line) === undefined && parseEnv(`${line}\n`)[name] === value)
}
