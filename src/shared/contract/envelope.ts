import * as z from 'zod'
import { ERROR_CODES } from '../errors.ts'
import { described, named } from '../json/schema-metadata.ts'
import { isoTime } from './fields.ts'

/** The envelope of the /v1 family (service interface 2.1) and the error envelope of both families (section 7). */
const metaSchema = named('ResponseMeta', 'Metadata of a response in the /v1 family.').object({
  request_id: z
    .string()
    .meta(described('Id of the request, equal to the `X-Request-Id` header.', 'req_4h7k2m9q5w1x8z3c6v0b')),
  timestamp: isoTime.describe('Time of the response.'),
})

const namedError = named('Error', 'Error response of every operation.', {
  success: false,
  error: {
    code: 'INVALID_REQUEST',
    message: 'The request is not valid: config.domain: expected a host name such as mcp.example.com',
    details: 'config.domain: expected a host name such as mcp.example.com',
  },
  meta: { request_id: 'req_4h7k2m9q5w1x8z3c6v0b', timestamp: '2026-11-22T12:20:23.267Z' },
})

export const errorEnvelopeSchema = namedError.object({
  success: z.literal(false).describe('Always false.'),
  error: z
    .object({
      code: z.enum(ERROR_CODES).meta({ id: 'ErrorCode', description: 'Machine-readable error code.' }),
      message: z.string().describe('One sentence for people.'),
      details: z
        .string()
        .describe('Further detail, for example every invalid field. Empty if the message says it all.'),
    })
    .describe('What went wrong.'),
  meta: metaSchema.optional(),
})

/** `id`: name of the envelope in the OpenAPI document. */
export function envelopeOf<T extends z.ZodType>(data: T, id?: string) {
  return z
    .object({
      success: z.literal(true).describe('Always true.'),
      data,
      meta: metaSchema,
    })
    .meta({ ...(id && { id }), description: 'Success envelope of the /v1 family.' })
}

/** A page of a list in the /v1 family. */
export function pageOf<T extends z.ZodType>(item: T, id: string) {
  return z
    .object({
      items: z.array(item).describe('Records on this page.'),
      next_cursor: z
        .string()
        .nullable()
        .describe('Pass it as `cursor` to get the next page. Null on the last page.'),
    })
    .meta({ id, description: 'One page of a list.' })
}
