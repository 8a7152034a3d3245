import * as z from 'zod'
import {
  checkedKeySchema,
  checkKeyRequestSchema,
  createdKeySchema,
  createKeyRequestSchema,
  keyInfoSchema,
  keyPageSchema,
  keyRecordSchema,
} from '../../../shared/contract/access/api-keys.ts'
import type { Scope } from '../../../shared/contract/access/scopes.ts'
import type { Principal } from '../../services/access/api-keys.ts'
import type { Services } from '../../services/services.ts'
import { type Access, dataEndpoint, matchesPath, type Route } from '../endpoint.ts'
import { missingScope, scopesOf } from '../middleware/scope.ts'
import { idSchema, limitSchema, pageTokenSchema } from '../path-ids.ts'

const params = z.object({ id: idSchema.describe('Id of the key.') })

/** `routes` is called when a key is checked, so the routes may be set later. */
export function keysEndpoints({ apiKeys, rateLimits }: Services, routes: () => readonly Route[]) {
  const record = ({ id }: z.output<typeof params>) => apiKeys.get(id)

  const withUsage = <K extends Parameters<typeof rateLimits.usage>[0]>(key: K) => ({
    ...key,
    rateLimit: rateLimits.usage(key),
  })

  const keyInfo = dataEndpoint({
    operationId: 'getApiKeyInfo',
    summary: 'Show the API key of the request, even if it has expired',
    answers: { 200: { description: 'The key.', schema: keyInfoSchema } },
    run: ({ principal }) => apiKeys.info(principal),
  })

  const createKey = dataEndpoint({
    operationId: 'createApiKey',
    summary: 'Create an API key. Only this response contains its secret',
    body: createKeyRequestSchema,
    answers: { 201: { description: 'The key with its secret.', schema: createdKeySchema } },
    errors: ['CONFLICT'],
    run: ({ body, principal }) => withUsage(apiKeys.create(principal, body)),
  })

  const listKeys = dataEndpoint({
    operationId: 'listApiKeys',
    summary: 'List API keys, newest first',
    query: z.strictObject({ limit: limitSchema, nextToken: pageTokenSchema }),
    answers: { 200: { description: 'A page of keys.', schema: keyPageSchema } },
    run({ query }) {
      const { items, nextToken } = apiKeys.list(query.limit, query.nextToken)
      return { items: items.map(withUsage), nextToken }
    },
  })

  const getKey = dataEndpoint({
    operationId: 'getApiKey',
    summary: 'Show an API key',
    params,
    record,
    answers: { 200: { description: 'The key.', schema: keyRecordSchema } },
    run: ({ params }) => withUsage(apiKeys.get(params.id)),
  })

  const revokeKey = dataEndpoint({
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    params,
    record,
    answers: { 204: { description: 'Revoked.' } },
    errors: ['CONFLICT'],
    run: ({ params }) => apiKeys.revoke(params.id),
  })

  const checkKey = dataEndpoint({
    operationId: 'checkApiKey',
    summary: 'Check whether a key may make a request',
    body: checkKeyRequestSchema,
    answers: { 200: { description: 'The result.', schema: checkedKeySchema } },
    run: ({ body }) => judge(body),
  })

  function judge({ key, method, path: target }: z.output<typeof checkKeyRequestSchema>) {
    const [path = '', search] = target.split('?')
    const wanted = method === 'HEAD' ? 'GET' : method
    const route = routes().find(each => each.method === wanted && matchesPath(each, path))
    if (!route) return refusedResult(`There is no ${method} ${path}.`)
    if (route.access === 'open') return allowedResult(`${method} ${route.path} needs no key.`)
    const principal = apiKeys.find(key)
    if (!principal) return refusedResult('The key is unknown or was revoked.')
    if (route.access === 'any') return allowedResult(`${method} ${route.path} accepts any key.`)
    if (apiKeys.isExpired(principal))
      return refusedResult(`The key "${principal.name}" expired at ${principal.expiresAt}.`)
    const needed = [route.access, scopeOfQuery(route, search)].filter(access => access !== undefined)
    const missing = needed.find(access => missingScope(principal, access))
    return missing
      ? refusedResult(
          `${method} ${route.path} needs the scope ${scopesOf(missing).join(' or ')}, but the key has ${principal.scopes.join(', ')}.`,
        )
      : allowedResult(`The key has the scope ${heldScope(principal, needed.at(-1)!)}.`)
  }

  return { keyInfo, createKey, listKeys, getKey, revokeKey, checkKey }
}

/** Undefined for an invalid query, which the route refuses with any key. */
function scopeOfQuery({ endpoint }: Route, search: string | undefined): Scope | undefined {
  const query = endpoint.query?.safeParse(Object.fromEntries(new URLSearchParams(search)))
  return query?.success ? endpoint.scopeOfQuery?.(query.data) : undefined
}

function heldScope({ scopes }: Principal, access: Access): string | undefined {
  return scopesOf(access).find(scope => scopes.includes(scope))
}

const allowedResult = (reason: string) => ({ allowed: true, reason })
const refusedResult = (reason: string) => ({ allowed: false, reason })
