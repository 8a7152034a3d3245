import * as z from 'zod'
import { HostingError } from '../../shared/errors.ts'
import type { ApiContext } from './endpoint.ts'
import { validate } from './middleware/validation.ts'

const NO_PARAMETERS = z.strictObject({})

/** Validates the query. Throws INVALID_REQUEST for an unknown or repeated parameter. */
export function readQuery(context: ApiContext, schema: z.ZodType = NO_PARAMETERS): unknown {
  // Hono's own parser would drop repeated parameters and `__proto__`.
  const { searchParams } = new URL(context.req.url)
  const names = [...searchParams.keys()]
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw new HostingError(
      'INVALID_REQUEST',
      `The query is not valid: ${shorten(repeated)} is given twice.`,
      {
        details: `${shorten(repeated)}: give it once`,
      },
    )
  return validate(schema, Object.fromEntries(searchParams), 'query')
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name
}
