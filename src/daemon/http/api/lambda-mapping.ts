import * as z from 'zod'
import {
  mappingPageSchema,
  mappingSchema,
  putMappingSchema,
  subdomainSchema,
} from '../../../shared/contract/deployments/mappings.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'
import { limitSchema, pageTokenSchema } from '../path-ids.ts'

const params = z.object({ subdomain: subdomainSchema })

export function lambdaMappingEndpoints({ mappings }: Services) {
  const record = ({ subdomain }: z.output<typeof params>) => mappings.find(subdomain)

  const listMappings = dataEndpoint({
    operationId: 'listMappings',
    summary: 'List subdomain mappings, newest first',
    query: z.strictObject({ limit: limitSchema, nextToken: pageTokenSchema }),
    answers: { 200: { description: 'A page of mappings.', schema: mappingPageSchema } },
    run: ({ query }) => mappings.list(query.limit, query.nextToken),
  })

  const getMapping = dataEndpoint({
    operationId: 'getMapping',
    summary: 'Show a subdomain mapping',
    params,
    record,
    answers: { 200: { description: 'The mapping.', schema: mappingSchema } },
    run: ({ params }) => mappings.get(params.subdomain),
  })

  const putMapping = dataEndpoint({
    operationId: 'putMapping',
    summary: 'Map a subdomain to the server and environment of a deployment',
    params,
    record,
    body: putMappingSchema,
    answers: { 200: { description: 'The mapping.', schema: mappingSchema } },
    errors: ['CONFLICT'],
    run: ({ params, body, header }) =>
      mappings.put(params.subdomain, body.deploymentId, {
        replace: body.replace || header('if-match') !== undefined,
      }),
  })

  const removeMapping = dataEndpoint({
    operationId: 'removeMapping',
    summary: 'Remove a subdomain mapping',
    params,
    record,
    answers: { 204: { description: 'Removed.' } },
    run: ({ params }) => mappings.remove(params.subdomain),
  })

  return { listMappings, getMapping, putMapping, removeMapping }
}
