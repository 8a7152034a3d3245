import type { Endpoint } from '../component.ts'
import { jsonResponse } from '../http/responses.ts'

/** GET providers: what a page with sign-in buttons needs. */
export const providers: Endpoint = async ({ upstreams }) =>
  jsonResponse([...upstreams.values()].map(({ provider: { id, name } }) => ({ id, name })))
