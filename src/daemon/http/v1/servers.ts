import * as z from 'zod'
import { environmentSchema } from '../../../shared/contract/fields.ts'
import { described } from '../../../shared/json/schema-metadata.ts'
import { SERVER_NAME } from '../../../shared/names.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'

const params = z.object({
  name: z
    .string()
    .regex(SERVER_NAME, 'must have 1 to 63 letters, digits, "-", "_" and "."')
    .meta(described('Name of the server.', 'weather')),
})

const query = z.strictObject({
  environment: environmentSchema
    .optional()
    .describe('Only this environment. The builds stay, because other environments may use them.'),
  data: z.literal('true').optional().describe('Also removes its stored data and variables.'),
})

/** `/v1/servers/{name}` */
export function serverEndpoints({ serverRemoval }: Services) {
  const removeServer = dataEndpoint({
    operationId: 'removeServer',
    summary: 'Remove a server: its deployments, builds, subdomains and sign-ins. Idempotent',
    params,
    query,
    answers: { 204: { description: 'Removed.' } },
    errors: ['CONFLICT'],
    run: ({ params: { name }, query: { environment, data } }) =>
      serverRemoval.remove(name, { environment, data: data !== undefined }),
  })

  return { removeServer }
}
