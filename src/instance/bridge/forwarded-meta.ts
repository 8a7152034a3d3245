import { META } from '../../shared/modern-envelope.ts'
import type { JsonObject } from '../protocol/json-rpc.ts'

/** A request's `_meta` without the fields of this hop. Undefined when nothing is left. */
export function forwardedMeta(meta: Readonly<JsonObject>, id: number): JsonObject | undefined {
  let passed: JsonObject | undefined
  for (const [name, value] of Object.entries(meta)) {
    if (HOP_META.has(name)) continue
    passed ??= {}
    // Replaces the client's token, because two clients may use the same token.
    passed[name] = name === 'progressToken' ? id : value
  }
  return passed
}

const HOP_META: ReadonlySet<string> = new Set([
  META.protocolVersion,
  META.clientCapabilities,
  META.clientInfo,
  META.logLevel,
])
