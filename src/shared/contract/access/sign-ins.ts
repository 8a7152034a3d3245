import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { EXAMPLE_TIME, environmentSchema, isoTime, itemPage } from '../fields.ts'

/** Clients and grants of a server's sign-in (extension; docs/sign-in.md). */

const clientIdSchema = z
  .string()
  .meta(described('Id of the client: random, or the URL of its metadata document.', 'Yk2nPq8sVw1zR4tB'))

const EXAMPLE_GRANT = {
  id: 'p0Zt3qGm5R1xVbNw7sKd2A',
  environment: 'production' as const,
  clientId: 'Yk2nPq8sVw1zR4tB',
  clientName: 'Claude Code',
  subject: 'github|42',
  provider: 'github',
  scopes: ['openid', 'profile'],
  issuedAt: EXAMPLE_TIME,
  lastRefreshedAt: null,
  expiresAt: EXAMPLE_TIME,
}

const grantSchema = named('SignInGrant', 'Access that a user granted to a client.', EXAMPLE_GRANT).object({
  id: z.string().describe('Id of the grant.'),
  environment: environmentSchema,
  clientId: clientIdSchema,
  clientName: z.string().nullable().describe('Name that the client registered. Null if unknown.'),
  subject: z.string().describe('The user: `<provider>|<id at the provider>`.'),
  provider: z.string().describe('Identity provider at which the user signed in.'),
  scopes: z.array(z.string()).describe('Scopes that the user granted.'),
  issuedAt: isoTime.describe('Time of the sign-in.'),
  lastRefreshedAt: isoTime.nullable().describe('Time of the last refresh. Null if there was none.'),
  expiresAt: isoTime.describe(
    'Time at which the user must sign in again unless the client refreshes its tokens.',
  ),
})

/** GET /api/servers/{name}/grants */
export const grantPageSchema = itemPage(grantSchema, 'SignInGrantPage')

const clientSchema = named('SignInClient', 'A sign-in client of a server.', {
  id: 'Yk2nPq8sVw1zR4tB',
  environment: 'production',
  kind: 'registered',
  name: 'Claude Code',
  uri: null,
  redirectHosts: ['127.0.0.1'],
  createdAt: EXAMPLE_TIME,
  lastUsedAt: EXAMPLE_TIME,
  grants: 1,
}).object({
  id: clientIdSchema,
  environment: environmentSchema,
  kind: z
    .enum(['registered', 'metadata-document'])
    .describe(
      '`registered`: the client registered itself (RFC 7591). `metadata-document`: its id is the URL of its metadata.',
    ),
  name: z.string().nullable().describe('Name that it registered. It may be untrue. Null if unknown.'),
  uri: z.string().nullable().describe('Home page that it registered. Null if unknown.'),
  redirectHosts: z.array(z.string()).describe('Hosts to which users return after the sign-in.'),
  createdAt: isoTime.nullable().describe('Time of its registration. Null if unknown.'),
  lastUsedAt: isoTime.nullable().describe('Time of its last sign-in or refresh. Null without a grant.'),
  grants: z.int().describe('Number of its grants.'),
})

/** GET /api/servers/{name}/clients */
export const clientPageSchema = itemPage(clientSchema, 'SignInClientPage')

export const removedClientSchema = named('RemovedSignInClient', 'Result of removing a client.', {
  revokedGrants: 1,
}).object({ revokedGrants: z.int().describe('Number of grants that were revoked.') })

export type SignInGrant = z.infer<typeof grantSchema>
export type SignInGrantPage = z.infer<typeof grantPageSchema>
export type SignInClient = z.infer<typeof clientSchema>
export type SignInClientPage = z.infer<typeof clientPageSchema>
export type RemovedSignInClient = z.infer<typeof removedClientSchema>
