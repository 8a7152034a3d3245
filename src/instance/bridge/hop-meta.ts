import { META } from '../protocol/envelope.ts'
import type { Result } from './rpc-channel.ts'

/** A request's `_meta` without what concerns this hop alone; undefined when nothing is left. */
export function passedMeta(meta: Readonly<Result>, id: number): Result | undefined {
  let passed: Result | undefined
  for (const [name, value] of Object.entries(meta)) {
    if (HOP_META.has(name)) continue
    passed ??= {}
    // The client's token is its own; two clients may use the same.
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
