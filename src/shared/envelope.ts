import * as z from 'zod'

/** The envelope of the /v1 family (service interface 2.1) and the error envelope of both (section 7). */
export const metaSchema = z.object({ request_id: z.string(), timestamp: z.iso.datetime() })

export const errorEnvelopeSchema = z.object({
  success: z.literal(false),
  error: z.object({ code: z.string(), message: z.string(), details: z.string() }),
  meta: metaSchema.optional(),
})

export function envelopeOf<T extends z.ZodType>(data: T) {
  return z.object({ success: z.literal(true), data, meta: metaSchema })
}

/** A page of a list in the /v1 family: `items` and the cursor of the next page, null on the last one. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() })
}

export interface Page<T> {
  items: T[]
  next_cursor: string | null
}
