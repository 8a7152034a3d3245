import * as z from 'zod'
import {
  mappingPageSchema,
  mappingSchema,
  putMappingSchema,
  subdomainSchema,
} from '../../../shared/contract/mappings.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'
import { limitSchema, pageTokenSchema } from '../path-ids.ts'

const params = z.object({ subdomain: subdomainSchema })

export function lambdaMappingEndpoints({ mappings }: Services) {
  const record = ({ subdomain }: z.output<typeof params>) => mappings.find(subdomain)

  const listMappings = endpoint({
    operationId: 'listMappings',
    summary: 'List subdomain mappings, newest first',
    query: z.strictObject({ limit: limitSchema, nextToken: pageTokenSchema }),
    answers: { 200: { description: 'A page of mappings.', schema: mappingPageSchema } },
    run: ({ query }) => ({ status: 200, data: mappings.list(query.limit, query.nextToken) }),
  })

  const getMapping = endpoint({
    operationId: 'getMapping',
    summary: 'Show a subdomain mapping',
    params,
    record,
    answers: { 200: { description: 'The mapping.', schema: mappingSchema } },
    errors: ['NOT_FOUND'],
    run: ({ params }) => ({ status: 200, data: mappings.get(params.subdomain) }),
  })

  const putMapping = endpoint({
    operationId: 'putMapping',
    summary: 'Map a subdomain to the server and environment of a deployment',
    params,
    record,
    body: putMappingSchema,
    answers: { 200: { description: 'The mapping.', schema: mappingSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    run: ({ params, body }) => ({ status: 200, data: mappings.put(params.subdomain, body.deploymentId) }),
  })

  const removeMapping = endpoint({
    operationId: 'removeMapping',
    summary: 'Remove a subdomain mapping',
    params,
    record,
    answers: { 204: { description: 'Removed.' } },
    errors: ['NOT_FOUND'],
    run({ params }) {
      mappings.remove(params.subdomain)
      return { status: 204 }
    },
  })

  return { listMappings, getMapping, putMapping, removeMapping }
}
