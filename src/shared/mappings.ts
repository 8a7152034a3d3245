import * as z from 'zod'
import { DEPLOYMENT_STATES, ENVIRONMENTS } from './states.ts'

/** Service interface 4.10 and its siblings (docs/api.md "Subdomain mappings"). */
const isoTime = z.iso.datetime()

/** A DNS label (RFC 1035 section 2.3.1, RFC 1123 section 2.1). */
export const subdomainSchema = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'up to 63 lower-case letters, digits and "-"')

export const putMappingSchema = z.strictObject({ deploymentId: z.string().min(1).max(200) })

export const mappingSchema = z.object({
  subdomain: z.string(),
  /** What answers there now: the live deployment, else the newest one. */
  deploymentId: z.string().nullable(),
  status: z.enum(DEPLOYMENT_STATES).nullable(),
  server: z.string(),
  environment: z.enum(ENVIRONMENTS),
  /** Empty while the named gateway does not listen. */
  url: z.string(),
  secureUrl: z.string(),
  createdAt: isoTime,
  updatedAt: isoTime,
})

export const mappingPageSchema = z.object({ items: z.array(mappingSchema), nextToken: z.string().nullable() })

export type MappingRecord = z.infer<typeof mappingSchema>
