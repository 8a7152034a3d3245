import { META, MODERN_REVISIONS } from '../../../shared/modern-envelope.ts'
import type { ServedTenant } from '../../tenant/served-tenant.ts'
import type { MethodResult } from '../methods.ts'

/** Lifetime of a list in a client's cache. A client may notice a changed list this late. */
const LIST_TTL_MS = 10_000

/** Results with a lifetime (SEP-2549). Content of resources may depend on the caller. */
const CACHE_HINTS: ReadonlyMap<string, { scope: 'public' | 'private'; ttlMs: number }> = new Map([
  ['server/discover', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['tools/list', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['prompts/list', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['resources/list', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['resources/templates/list', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['resources/read', { scope: 'private', ttlMs: 0 }],
] as const)

/** Adds `resultType`, the server's identity and, if clients may cache the result, its lifetime. */
export function modernResult(tenant: ServedTenant, method: string, { members, meta }: MethodResult): string {
  const hint = CACHE_HINTS.get(method)
  // During development (level `debug`), nothing is worth caching.
  const ttlMs = hint && (tenant.config.logLevel === 'debug' ? 0 : hint.ttlMs)
  const caching = hint ? `,"ttlMs":${ttlMs},"cacheScope":"${hint.scope}"` : ''
  return `${members}${members && ','}"resultType":"complete"${caching},"_meta":${metaText(tenant, meta)}`
}

/** Answer to `server/discover`, which replaces the handshake. */
export function discover({ server }: ServedTenant): MethodResult {
  const { capabilities, instructions } = server
  const result = { supportedVersions: MODERN_REVISIONS, capabilities, instructions }
  return { members: JSON.stringify(result).slice(1, -1), failed: false }
}

const metaTexts = new WeakMap<ServedTenant, string>()

function metaText(tenant: ServedTenant, meta: Record<string, unknown> | undefined): string {
  if (meta !== undefined) return JSON.stringify({ [META.serverInfo]: tenant.server.info, ...meta })
  let text = metaTexts.get(tenant)
  if (!text) {
    text = JSON.stringify({ [META.serverInfo]: tenant.server.info })
    metaTexts.set(tenant, text)
  }
  return text
}
