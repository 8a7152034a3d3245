import type { Endpoint } from '../component.ts'
import { jsonResponse } from '../http/responses.ts'

/** GET jwks (RFC 7517 5): the current key, previous keys of unexpired tokens, and shortly before a rotation the next key. */
export const jwks: Endpoint = async ({ signer }) => {
  const keys = (await signer.publicKeys?.()) ?? { keys: [] }
  return jsonResponse(keys, { headers: { 'Cache-Control': 'public, max-age=300' } })
}
