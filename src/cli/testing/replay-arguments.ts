import type { RequestRecordItem } from '../../shared/contract/monitoring/requests.ts'
import { HostingError } from '../../shared/errors.ts'
import { REDACTED_TEXT } from '../../shared/instances/log-line.ts'
import { parseToolArguments } from './tool-arguments.ts'

/** `key=value` and `key:=<json>`. */
const GIVEN = /^([^=@{]+?):?=(.*)$/s

/**
 * Recorded arguments with the given values. `key=value` takes the type of the recorded value. Throws INVALID_REQUEST for a
 * redacted argument without a new value.
 */
export function replayArguments(
  { arguments: recorded }: Pick<RequestRecordItem, 'arguments'>,
  words: readonly string[],
): Record<string, unknown> {
  const known = isObject(recorded) ? recorded : {}
  const args = { ...known, ...parseToolArguments(words, schemaOf(words, known)) }
  const redacted = Object.keys(args).find(name => JSON.stringify(args[name]).includes(REDACTED_TEXT))
  if (redacted === undefined) return args
  throw new HostingError('INVALID_REQUEST', `The recorded value of "${redacted}" contains a secret.`, {
    details: `Give the value again: ${redacted}=<value>`,
  })
}

/** Schema of the given arguments, which are not limited to the recorded ones. */
function schemaOf(words: readonly string[], recorded: Record<string, unknown>): Record<string, unknown> {
  const given = words.flatMap(word => {
    const [, key = '', text = ''] = GIVEN.exec(word) ?? []
    return key === '' ? [] : [[key, { type: typeOf(recorded[key], text) }]]
  })
  return { type: 'object', properties: Object.fromEntries(given) }
}

/** Text that does not fit the recorded type is a string, because a wrong type may be why the call failed. */
function typeOf(recorded: unknown, text: string): string {
  if (Array.isArray(recorded)) return 'array'
  if (typeof recorded === 'number' && Number.isFinite(Number(text || Number.NaN))) return 'number'
  if (typeof recorded === 'boolean' && /^(true|false)$/.test(text)) return 'boolean'
  if (isObject(recorded) && text.startsWith('{')) return 'object'
  return 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
