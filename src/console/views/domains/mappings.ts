import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import { HostingError } from '../../../shared/errors.ts'
import { request, send } from '../../api/client.ts'

export function mappingPath(subdomain: string): string {
  return `/api/lambda-mapping/${encodeURIComponent(subdomain)}`
}

/**
 * Maps a subdomain. With `tag`, replaces the mapping, and throws PRECONDITION_FAILED if that is not its current tag. Without,
 * throws CONFLICT if the subdomain points elsewhere. Always throws CONFLICT for a subdomain generated for another address.
 */
export function mapSubdomain(subdomain: string, deploymentId: string, tag?: string): Promise<MappingRecord> {
  return request('PUT', mappingPath(subdomain), {
    body: { deploymentId },
    ...(tag !== undefined && { headers: { 'if-match': tag } }),
  })
}

/** Finds a mapping, with the tag of its current state. Undefined if the subdomain is not mapped. */
export async function findTagged(
  subdomain: string,
): Promise<{ mapping: MappingRecord; tag: string } | undefined> {
  try {
    const response = await send('GET', mappingPath(subdomain), {})
    return { mapping: await response.json(), tag: response.headers.get('etag')! }
  } catch (error) {
    if (error instanceof HostingError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
