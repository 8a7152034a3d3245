import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import {
  deploymentStateSchema,
  EXAMPLE_DEPLOYMENT_ID,
  EXAMPLE_TIME,
  environmentSchema,
  isoTime,
  itemPage,
} from '../fields.ts'

/** Service interface 4.10 and extensions (docs/api.md "Subdomain mappings"). */

/** A DNS label (RFC 1035 section 2.3.1, RFC 1123 section 2.1). */
export const subdomainSchema = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must have at most 63 lower-case letters, digits and "-"')
  .meta(described('Subdomain: up to 63 lower-case letters, digits and "-".', 'weather'))

const namedPutMappingRequest = named('PutMappingRequest', 'Target of a subdomain mapping.', {
  deploymentId: EXAMPLE_DEPLOYMENT_ID,
})

export const putMappingSchema = namedPutMappingRequest.strictObject({
  deploymentId: z
    .string()
    .min(1)
    .max(200)
    .describe('Id of a deployment. The subdomain follows the releases of its server and environment.'),
  replace: z
    .boolean()
    .optional()
    .describe(
      '`true` also moves a subdomain that points elsewhere. Otherwise, such a request returns 409 unless it has `If-Match`.',
    ),
})

const namedMapping = named('Mapping', 'A subdomain that points to a server and environment.', {
  subdomain: 'weather',
  deploymentId: EXAMPLE_DEPLOYMENT_ID,
  status: 'deployed',
  server: 'weather',
  environment: 'production',
  url: 'http://weather.localhost:6280/mcp',
  secureUrl: 'https://weather.localhost:6443/mcp',
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
})

export const mappingSchema = namedMapping.object({
  subdomain: z.string().describe('The subdomain.'),
  deploymentId: z
    .string()
    .nullable()
    .describe('Id of the live deployment, else of the newest one. Null if there is none.'),
  status: deploymentStateSchema.nullable().describe('State of that deployment. Null if there is none.'),
  server: z.string().describe('Name of the server.'),
  environment: environmentSchema,
  url: z.string().describe('MCP endpoint over http. Empty while the named gateway is not listening.'),
  secureUrl: z.string().describe('MCP endpoint over https. Empty while the named gateway is not listening.'),
  createdAt: isoTime.describe('Creation time.'),
  updatedAt: isoTime.describe('Time of the last change.'),
})

export const mappingPageSchema = itemPage(mappingSchema, 'MappingPage')

export type MappingRecord = z.infer<typeof mappingSchema>
