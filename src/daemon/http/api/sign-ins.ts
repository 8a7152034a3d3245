import * as z from 'zod'
import {
  clientPageSchema,
  grantPageSchema,
  removedClientSchema,
} from '../../../shared/contract/access/sign-ins.ts'
import { environmentSchema } from '../../../shared/contract/fields.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'
import { idSchema, limitSchema, pageTokenSchema } from '../path-ids.ts'

const name = idSchema.describe('Name of the server.')
const environment = environmentSchema.optional().describe('Only this environment.')
const page = { environment, limit: limitSchema, nextToken: pageTokenSchema }
const clientId = z.string().min(1).max(2048)

/** Sign-in clients and grants of a server. */
export function signInsEndpoints({ signInGrants }: Services) {
  const listGrants = dataEndpoint({
    operationId: 'listGrants',
    summary: 'List the sign-in grants of a server, newest first',
    params: z.object({ name }),
    query: z.strictObject({
      ...page,
      clientId: clientId.optional().describe('Only grants to this client.'),
      subject: z.string().max(1024).optional().describe('Only grants of this user.'),
    }),
    answers: { 200: { description: 'A page of grants.', schema: grantPageSchema } },
    run: ({ params, query: { limit, nextToken, ...filter } }) =>
      signInGrants.list({ server: params.name, ...filter }, { limit, nextToken }),
  })

  const revokeGrant = dataEndpoint({
    operationId: 'revokeGrant',
    summary: 'Revoke a grant, its refresh token and its access tokens',
    params: z.object({ name, id: idSchema.describe('Id of the grant.') }),
    answers: { 204: { description: 'Revoked.' } },
    run: ({ params, principal }) =>
      signInGrants.revoke({ server: params.name, id: params.id, by: principal.name }),
  })

  const listClients = dataEndpoint({
    operationId: 'listSignInClients',
    summary: 'List the sign-in clients of a server, by environment and id',
    params: z.object({ name }),
    query: z.strictObject(page),
    answers: { 200: { description: 'A page of clients.', schema: clientPageSchema } },
    run: ({ params, query: { environment, limit, nextToken } }) =>
      signInGrants.clients({ server: params.name, environment }, { limit, nextToken }),
  })

  const removeClient = dataEndpoint({
    operationId: 'removeSignInClient',
    summary: 'Remove a sign-in client of a server and revoke its grants',
    params: z.object({ name, id: clientId.describe('Id of the client. A URL must be percent-encoded.') }),
    query: z.strictObject({ environment }),
    answers: { 200: { description: 'Removed.', schema: removedClientSchema } },
    run: ({ params, query, principal }) =>
      signInGrants.removeClient({
        server: params.name,
        id: params.id,
        environment: query.environment,
        by: principal.name,
      }),
  })

  return { listGrants, revokeGrant, listClients, removeClient }
}
