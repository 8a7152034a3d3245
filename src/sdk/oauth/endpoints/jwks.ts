import type { Endpoint } from '../component.ts'
import { jsonResponse } from '../http/responses.ts'

/** GET jwks (RFC 7517 5): the keys that tokens may be signed with now, were signed with, and will be next. */
export const jwks: Endpoint = async ({ signer }) => {
  const keys = (await signer.publicKeys?.()) ?? { keys: [] }
  return jsonResponse(keys, { headers: { 'Cache-Control': 'public, max-age=300' } })
}
