import { parseDurationMs } from '../shared/duration.ts'
import { HostingError } from '../shared/errors.ts'
import type { OptionDeclaration } from './command.ts'

/** What `input` gets of what was typed; `before` is what the same option gave earlier in the line. Throws INVALID_REQUEST. */
export function parseOptionValue(
  { type }: OptionDeclaration,
  flag: string,
  text: string,
  before: unknown,
): unknown {
  if (type === 'duration') return parseDuration(flag, text)
  if (type === 'integer') return parseInteger(flag, text)
  if (type === 'number') return parseNumber(flag, text)
  if (type === 'list') return [...((before as string[] | undefined) ?? []), text]
  return text
}

/** What `input` gets when the option is left out. */
export function absentValue({ type, default: value }: OptionDeclaration): unknown {
  if (type === 'list') return []
  return value ?? (type === 'boolean' ? false : undefined)
}

function parseDuration(flag: string, text: string): number {
  try {
    return parseDurationMs(text)
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', `${flag}: ${(error as Error).message}`)
  }
}

function parseInteger(flag: string, text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new HostingError('INVALID_REQUEST', `${flag} is "${text}", expected a whole number.`)
}

function parseNumber(flag: string, text: string): number {
  if (/^\d{1,15}(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new HostingError('INVALID_REQUEST', `${flag} is "${text}", expected a number.`)
}
