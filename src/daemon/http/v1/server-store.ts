import * as z from 'zod'
import {
  changeStoreSchema,
  storeChangeSchema,
  storeKeySchema,
  storePageSchema,
  storePrefixSchema,
  storeUserSchema,
} from '../../../shared/contract/servers/server-store.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'
import { limitSchema, serverPlaceSchema as params } from '../path-ids.ts'

const query = z.strictObject({
  key: storeKeySchema.optional().describe('Only the entry with this key.'),
  prefix: storePrefixSchema.optional().describe('Only entries whose keys start with this text.'),
  user: storeUserSchema.optional().describe('Only entries of this signed-in user.'),
  shared: z.literal('true').optional().describe('Only entries that are shared by all users.'),
  limit: limitSchema,
  cursor: z.string().optional().describe('`next_cursor` of the previous page. Without it, the first page.'),
})

/** `/v1/servers/{name}/store/{environment}` */
export function serverStoreEndpoints({ serverStores }: Services) {
  const listEntries = dataEndpoint({
    operationId: 'listStoreEntries',
    summary: 'List the store entries of a server in an environment',
    params,
    query,
    answers: { 200: { description: 'A page of entries.', schema: storePageSchema } },
    run: ({ params: { name, environment }, query: { shared, user, ...rest } }) =>
      serverStores.page(
        { server: name, slot: environment },
        { ...rest, user: user ?? (shared === undefined ? undefined : null) },
      ),
  })

  const changeEntries = dataEndpoint({
    operationId: 'changeStoreEntries',
    summary: 'Set and delete store entries of a server in an environment, all or none',
    params,
    body: changeStoreSchema,
    answers: { 200: { description: 'The change was made.', schema: storeChangeSchema } },
    run: ({ params: { name, environment }, body }) =>
      serverStores.change({ server: name, slot: environment }, body),
  })

  return { listEntries, changeEntries }
}
