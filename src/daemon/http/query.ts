import * as z from 'zod'
import { HostingError } from '../../shared/errors.ts'
import type { ApiContext } from './endpoint.ts'
import { validate } from './validation.ts'

const NOTHING = z.strictObject({})

/** The validated query. Throws INVALID_REQUEST for an unknown parameter and for one that is given twice. */
export function readQuery(context: ApiContext, schema: z.ZodType = NOTHING): unknown {
  // Not Hono's own reading, which drops repeated parameters and `__proto__`.
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
