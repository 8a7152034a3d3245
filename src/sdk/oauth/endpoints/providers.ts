import type { Endpoint } from '../component.ts'
import { jsonResponse } from '../http/responses.ts'

/** GET providers: list for sign-in buttons. */
export const providers: Endpoint = async ({ upstreams }) =>
  jsonResponse([...upstreams.values()].map(({ provider: { id, name } }) => ({ id, name })))
