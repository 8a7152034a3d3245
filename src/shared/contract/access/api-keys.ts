import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { EXAMPLE_TIME, isoTime, itemPage } from '../fields.ts'
import { PLANS, SCOPES } from './scopes.ts'

/** Service interface 2.8 and 4.8, and the extension `/api/keys` (docs/decisions/api.md). */

const scopeSchema = z.enum(SCOPES).meta({
  id: 'Scope',
  description:
    '`READ`: every GET. `BUILD_AND_DEPLOY`: builds, deployments, projects, container builds, mappings. `CHAT`: tests and chats. `ADMIN`: keys and the daemon.',
})

const planSchema = z
  .enum(PLANS)
  .meta({ id: 'Plan', description: 'Requests per hour: free 100, pro 1000, enterprise as configured.' })

/** Example in the OpenAPI document. */
export const KEY_INFO = {
  apiKeyId: 'key_4h7k2m9q5w1x8z3c6v0b',
  name: 'ci',
  scopes: ['READ', 'BUILD_AND_DEPLOY'],
  userId: 'usr_7m2k9q4w5x1z8c3v6b0h',
  idpUid: 'usr_7m2k9q4w5x1z8c3v6b0h',
  lastUsedAt: EXAMPLE_TIME,
  expiresAt: null,
  isExpired: false,
}
const KEY_RECORD = {
  ...KEY_INFO,
  plan: 'pro',
  createdAt: EXAMPLE_TIME,
  rateLimit: { limit: 1000, used: 37, resetAt: EXAMPLE_TIME },
}

export const keyInfoSchema = named('ApiKeyInfo', 'The API key that made the request.', KEY_INFO).object({
  apiKeyId: z.string().describe('Id of the key.'),
  name: z.string().describe('Name of the key.'),
  scopes: z.array(scopeSchema).describe('Scopes of the key.'),
  userId: z.string().describe('Id of the owning user.'),
  idpUid: z.string().describe('Id of the owning user at the identity provider.'),
  lastUsedAt: isoTime.nullable().describe('Time of the last use. Null if it was never used.'),
  expiresAt: isoTime.nullable().describe('Expiry time. Null if it never expires.'),
  isExpired: z.boolean().describe('The key has expired.'),
})

const rateLimitSchema = named('RateLimit', 'Requests made with a key in the current hour.').object({
  limit: z.int().describe('Maximum number of requests.'),
  used: z.int().describe('Number of requests so far.'),
  resetAt: isoTime.nullable().describe('End of the hour. Null if there were no requests.'),
})

export const keyRecordSchema = keyInfoSchema
  .extend({
    plan: planSchema,
    createdAt: isoTime.describe('Creation time.'),
    rateLimit: rateLimitSchema,
  })
  .meta({ id: 'ApiKey', description: 'An API key.', examples: [KEY_RECORD] })

/** Response of POST /api/keys. */
export const createdKeySchema = keyRecordSchema
  .extend({ key: z.string().describe('The secret. Returned only here, stored as a hash.') })
  .meta({
    id: 'CreatedApiKey',
    description: 'A new API key with its secret.',
    examples: [{ ...KEY_RECORD, lastUsedAt: null, key: 'mcp_sk_example' }],
  })

const namedCreateApiKeyRequest = named('CreateApiKeyRequest', 'A new API key.', {
  name: 'ci',
  scopes: ['READ', 'BUILD_AND_DEPLOY'],
  plan: 'pro',
})

export const createKeyRequestSchema = namedCreateApiKeyRequest.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .describe('Name of the key.'),
  scopes: z.array(scopeSchema).min(1).max(100).describe('Scopes of the key.'),
  plan: planSchema.default('free').describe('Plan of the key.'),
  expiresAt: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Expiry time, in the future. By default, the key never expires.'),
  replace: z
    .boolean()
    .optional()
    .describe(
      '`true` revokes existing keys with this name. Otherwise, the request returns 409 if the name is in use.',
    ),
})

export const keyPageSchema = itemPage(keyRecordSchema, 'ApiKeyPage')

const namedCheckApiKeyRequest = named('CheckApiKeyRequest', 'A key and a request to check.', {
  key: 'mcp_sk_example',
  method: 'POST',
  path: '/v1/build',
})

export const checkKeyRequestSchema = namedCheckApiKeyRequest.strictObject({
  key: z.string().min(1).describe('Secret of the key.'),
  method: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .meta(
      described('Method of the request: GET, HEAD, POST, PUT, PATCH or DELETE (case-insensitive).', 'POST'),
    ),
  path: z
    .string()
    .regex(/^\//, 'must start with "/"')
    .meta(described('Path of the request, with its query if it has one.', '/v1/build')),
})

const namedCheckedApiKey = named('CheckedApiKey', 'Whether a key may make a request.', {
  allowed: true,
  reason: 'The key has the scope BUILD_AND_DEPLOY.',
})

export const checkedKeySchema = namedCheckedApiKey.object({
  allowed: z.boolean().describe('The key may make the request.'),
  reason: z.string().describe('Reason, in one sentence.'),
})

export type KeyInfo = z.infer<typeof keyInfoSchema>
export type KeyRecord = z.infer<typeof keyRecordSchema>
export type CreatedKey = z.infer<typeof createdKeySchema>
export type CreateKeyRequest = z.infer<typeof createKeyRequestSchema>
