import type { RequestRecordItem } from '../../shared/contract/monitoring/requests.ts'
import { HostingError } from '../../shared/errors.ts'
import { REDACTED_TEXT } from '../../shared/instances/log-line.ts'
import { parseToolArguments } from './tool-arguments.ts'

/**
 * Recorded arguments with the given values. `key=value` takes the type of the recorded value. Throws INVALID_REQUEST for a
 * redacted argument without a new value.
 */
export function replayArguments(
  { arguments: recorded }: Pick<RequestRecordItem, 'arguments'>,
  words: readonly string[],
): Record<string, unknown> {
  const known = isObject(recorded) ? recorded : {}
  const args = { ...known, ...parseToolArguments(words, schemaOf(known)) }
  const redacted = Object.keys(args).find(name => JSON.stringify(args[name]).includes(REDACTED_TEXT))
  if (redacted === undefined) return args
  throw new HostingError('INVALID_REQUEST', `The recorded value of "${redacted}" contains a secret.`, {
    details: `Give it again: ${redacted}=<value>`,
  })
}

function schemaOf(values: Record<string, unknown>): Record<string, unknown> {
  const properties = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { type: typeOf(value) }]),
  )
  return { type: 'object', properties }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
