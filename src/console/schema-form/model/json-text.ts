import { isDeeper } from '../../../shared/json/json-walk.ts'
import { asObject, Draft, exactNumber, isExactNumber, plain, type State } from './state.ts'

/** Deeper values stay text, because recursive functions could overflow the stack. Servers accept far less. */
const MAX_DEPTH = 200

/** A value, or a draft if the text is not JSON or is nested too deeply. Absent for blank text. */
export function parseJson(text: string): State {
  if (text.trim() === '') return undefined
  try {
    const value = parseExactly(text)
    return isDeeper(value, MAX_DEPTH) ? new Draft(text, `is nested deeper than ${MAX_DEPTH} levels`) : value
  } catch (error) {
    return new Draft(text, describeFault(text, error as Error))
  }
}

type Reviver = (name: string, value: unknown, context?: { source?: string }) => unknown

/** JSON.parse that keeps all digits of long numbers. */
function parseExactly(text: string): State {
  // Other text has no number that loses digits, and a reviver is slow.
  if (!/[\d.]{16}|[eE][+-]?\d{3}/.test(text)) return JSON.parse(text)
  const reviver: Reviver = (_name, value, context) =>
    typeof value === 'number' && context?.source ? exactNumber(context.source) : value
  return JSON.parse(text, reviver)
}

function describeFault(text: string, error: Error): string {
  const isWord = /^[\p{L}\p{N} _.-]+$/u.test(text.trim()) && text.length < 200
  if (isWord && Number.isNaN(Number(text)))
    return `is not JSON. Text needs quotes: ${JSON.stringify(text.trim())}`
  return `is not JSON: ${error.message}`
}

/** JSON text of a state, indented. Drafts appear as typed, so the text may not be JSON. Empty when absent. */
export function printJson(state: State, indent = ''): string {
  const value = plain(state)
  if (value === undefined) return ''
  if (value instanceof Draft) return value.text
  const inner = `${indent}  `
  const print = (member: State) => printJson(member, inner) || 'null'
  if (Array.isArray(value)) return enclose('[', value.map(print), ']', indent)
  const members = asObject(value)
  if (!members) return isExactNumber(value) ? value.rawJSON : JSON.stringify(value)
  const set = Object.entries(members).filter(([, member]) => plain(member) !== undefined)
  return enclose(
    '{',
    set.map(([name, member]) => `${JSON.stringify(name)}: ${print(member)}`),
    '}',
    indent,
  )
}

function enclose(start: string, parts: string[], end: string, indent: string): string {
  if (parts.length === 0) return start + end
  return `${start}\n${parts.map(part => `${indent}  ${part}`).join(',\n')}\n${indent}${end}`
}

/** A number, or a draft if the text is not a number. Absent for empty text. */
export function parseNumber(text: string): State {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed)) return exactNumber(trimmed)
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(trimmed)
  return isNumber ? Number(trimmed) : new Draft(text, 'must be a number', 'number')
}

/** Text in the input of a number. */
export function numberText(state: State): string {
  const value = plain(state)
  return value === undefined ? '' : value instanceof Draft ? value.text : printJson(value)
}
