import * as z from 'zod'
import { PLANS, SCOPES } from './scopes.ts'

/** Service interface 2.8 and 4.8, and the extension `/api/keys` (docs/decisions.md). */
const isoTime = z.iso.datetime()

export const keyInfoSchema = z.object({
  apiKeyId: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  userId: z.string(),
  idpUid: z.string(),
  lastUsedAt: isoTime.nullable(),
  expiresAt: isoTime.nullable(),
  isExpired: z.boolean(),
})

export const keyRecordSchema = keyInfoSchema.extend({ plan: z.enum(PLANS), createdAt: isoTime })

/** Only in the answer of POST /api/keys: `key` is shown once and stored as a hash. */
export const createdKeySchema = keyRecordSchema.extend({ key: z.string() })

export const createKeyRequestSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^\P{Cc}*$/u, 'without control characters'),
  scopes: z.array(z.enum(SCOPES)).min(1).max(100),
  plan: z.enum(PLANS).default('free'),
  /** A moment in the future; never expires when absent. */
  expiresAt: z.iso.datetime({ offset: true }).optional(),
})

export const keyPageSchema = z.object({ items: z.array(keyRecordSchema), nextToken: z.string().nullable() })

/** May this key make this request? */
export const checkKeyRequestSchema = z.strictObject({
  key: z.string().min(1),
  method: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])),
  /** `/v1/build`; a query is ignored. */
  path: z
    .string()
    .regex(/^\//, 'a path that begins with "/"')
    .transform(path => path.split('?')[0]!),
})

export const checkedKeySchema = z.object({ allowed: z.boolean(), reason: z.string() })

export type KeyInfo = z.infer<typeof keyInfoSchema>
export type KeyRecord = z.infer<typeof keyRecordSchema>
export type CreatedKey = z.infer<typeof createdKeySchema>
export type CreateKeyRequest = z.infer<typeof createKeyRequestSchema>
