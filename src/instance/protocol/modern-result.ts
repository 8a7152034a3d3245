import type { ServedTenant } from '../served-tenant.ts'
import { META } from './envelope.ts'
import type { MethodResult } from './methods.ts'
import { MODERN_REVISIONS } from './revisions.ts'

/** How long a client may keep a list. It changes with a release only, so this is how late a client may notice one. */
const LIST_TTL_MS = 10_000

/** Results that say how long they may be kept (SEP-2549). What is read may depend on who reads it. */
const CACHE_HINTS: ReadonlyMap<string, { scope: 'public' | 'private'; ttlMs: number }> = new Map([
  ['server/discover', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['tools/list', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['prompts/list', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['resources/list', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['resources/templates/list', { scope: 'public', ttlMs: LIST_TTL_MS }],
  ['resources/read', { scope: 'private', ttlMs: 0 }],
] as const)

/** A result's members with what every modern result says besides: that it is complete, for how long, and whose it is. */
export function modernResult(tenant: ServedTenant, method: string, { members, meta }: MethodResult): string {
  const hint = CACHE_HINTS.get(method)
  // While a server is being developed nothing of it is worth keeping.
  const ttlMs = hint && (tenant.config.logLevel === 'debug' ? 0 : hint.ttlMs)
  const caching = hint ? `,"ttlMs":${ttlMs},"cacheScope":"${hint.scope}"` : ''
  return `${members}${members && ','}"resultType":"complete"${caching},"_meta":${metaText(tenant, meta)}`
}

/** Answer to `server/discover`, which a client asks instead of a handshake. */
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
