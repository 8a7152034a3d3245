import { createHash } from 'node:crypto'

/** Fields that change without a write to their record. */
const MEASURED = new Set([
  'instances',
  'staying_sessions',
  'isolation',
  'lastUsedAt',
  'isExpired',
  'rateLimit',
  'store',
])

/** Strong entity tag of a record without its measurements (RFC 9110 8.8.3). */
export function etagOf(record: object): string {
  const stored = Object.entries(record).filter(([name]) => !MEASURED.has(name))
  const text = JSON.stringify(sortKeys(Object.fromEntries(stored)))
  return `"${digest(text)}"`
}

/** 22 characters of SHA-256. */
export function digest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** Whether `If-None-Match` names this entity tag, by weak comparison (RFC 9110 8.8.3.2, 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || parseEtags(header).some(given => opaqueTag(given) === opaqueTag(etag))
}

/** Whether `If-Match` names this entity tag, by strong comparison (RFC 9110 13.1.1). */
export function matchesStrongEtag(header: string, etag: string): boolean {
  return header.trim() === '*' || parseEtags(header).includes(etag)
}

function parseEtags(header: string): string[] {
  return header.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
}

function opaqueTag(etag: string): string {
  return etag.replace(/^W\//, '')
}

/** Sorts the keys at all levels, because the order of a record's fields does not matter. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, entry]) => [key, sortKeys(entry)]))
}
