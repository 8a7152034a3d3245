import * as z from 'zod'
import { isPageToken } from '../../shared/contract/page-token.ts'
import { STORE_ENVIRONMENTS } from '../../shared/contract/states.ts'
import { SERVER_NAME } from '../../shared/names.ts'

/** Schema of ids in paths. Rejects slashes, control characters, and ids that consist of dots. */
export const idSchema = z
  .string()
  .regex(/^(?!\.+$)[A-Za-z0-9._-]{1,128}$/, 'must have at most 128 letters, digits, "-", "_" and "."')

/** A server in an environment, or its preview. */
export const serverPlaceSchema = z.object({
  name: z
    .string()
    .regex(SERVER_NAME, 'must have 1 to 63 letters, digits, "-", "_" and "."')
    .meta({ description: 'Name of the server.', examples: ['notes'] }),
  environment: z
    .enum(STORE_ENVIRONMENTS)
    .meta({ description: 'Environment, or `preview`.', examples: ['production'] }),
})

/** Schema of a whole number in decimal digits. `Number()` would also accept `0x10`, `1e1`, `1.0` and blanks. */
export function wholeNumber({ min, max, multipleOf = 1 }: { min: number; max: number; multipleOf?: number }) {
  const error = `expected a whole number from ${min} to ${max}${multipleOf > 1 ? `, a multiple of ${multipleOf}` : ''}`
  const range = z.int(error).min(min, error).max(max, error)
  return z.preprocess(
    value => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    multipleOf > 1 ? range.multipleOf(multipleOf, error) : range,
  )
}

/** Schema of a log phase, case-insensitive. */
export function phaseSchema<const Phase extends string>(phases: readonly Phase[]) {
  return z.preprocess(value => (typeof value === 'string' ? value.toUpperCase() : value), z.enum(phases))
}

export const limitSchema = wholeNumber({ min: 1, max: 1000 })
  .default(100)
  .describe('Maximum number of records on the page.')

/** Limit for a page of log lines. */
export const logLimitSchema = wholeNumber({ min: 1, max: 10_000 })
  .default(1000)
  .describe('Maximum number of lines on the page.')

export const logTokenSchema = z.string().optional().describe('`nextToken` of the previous page.')

export const serverFilterSchema = z.string().optional().describe('Only records of the server with this name.')

/** `cursor` or `nextToken` of a list. */
export const pageTokenSchema = z
  .string()
  .refine(isPageToken, 'not a page token of this list. Omit it to get the first page')
  .optional()
  .describe('`nextToken` of the previous page.')
