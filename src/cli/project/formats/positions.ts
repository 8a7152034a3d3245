import { basename } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'

/** `tools[2].env["A B"]` → `['tools', 2, 'env', 'A B']` */
export function toSegments(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g)].map(([text, index, quoted]) => {
    if (index !== undefined) return Number(index)
    return quoted === undefined ? text : JSON.parse(quoted)
  })
}

/** Offset → `line:column`, both from 1. */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `${line}:${offset - before.lastIndexOf('\n')}`
}

/** INVALID_MCP with the position and the line of the file. `position` is `line:column`. */
export function notParsable(file: string, text: string, position: string, reason: string): HostingError {
  const name = basename(file)
  return new HostingError('INVALID_MCP', `${name} cannot be parsed.`, {
    details: [`${name}:${position} ${reason}`, ...excerptOf(text, position)].join('\n'),
  })
}

const MAX_EXCERPT = 100

/** The line with a caret below the column. Empty for lines that do not fit a terminal. */
function excerptOf(text: string, position: string): string[] {
  const [line = 1, column = 1] = position.split(':').map(Number)
  const code = text.split(/\r?\n/)[line - 1] ?? ''
  if (code.trim() === '' || code.length > MAX_EXCERPT) return []
  const margin = `  ${line} | `
  // Tabs keep the caret below its character.
  const indent = code.slice(0, column - 1).replace(/[^\t]/g, ' ')
  return [`${margin}${code}`, `${' '.repeat(margin.length - 2)}| ${indent}^`]
}
