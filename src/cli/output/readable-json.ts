import { printableJson } from '../../shared/format/printable.ts'
import { formatJson } from './format-json.ts'
import type { Style } from './style.ts'
import { columnsOf } from './terminal.ts'

/** The same JSON, indented and coloured for a terminal. */
export function readableJson(json: string, style: Style): string {
  const paint = { string: style.green, number: style.yellow, boolean: style.yellow, object: style.dim }
  return formatJson(JSON.parse(json), {
    width: Math.min(columnsOf(process.stdout), MAX_JSON_COLUMNS),
    key: name => style.cyan(printableJson(JSON.stringify(name))),
    scalar: value => paint[typeof value as keyof typeof paint](printableJson(JSON.stringify(value))),
  }).trimEnd()
}

const MAX_JSON_COLUMNS = 100
/** JavaScript may change the digits of a number this long. */
const LONG_NUMBER = /\d{16}/

/** True for an object or a list that can be formatted without changing its value. */
export function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || LONG_NUMBER.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
