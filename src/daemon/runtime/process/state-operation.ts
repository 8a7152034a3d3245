import {
  MAX_BATCH,
  MAX_KEY_BYTES,
  MAX_PAGE_ENTRIES,
  MAX_SCOPE_BYTES,
  MAX_TRANSACTION_KEYS,
  MAX_WRITE_BYTES,
} from '../../../shared/instances/state-operations.ts'

type Members = Record<string, unknown>

/** Validates store operations of a process that runs user code. */
export function isStateBatch(operations: unknown): boolean {
  return isList(operations, MAX_BATCH, isOperation) && (operations as unknown[]).length > 0
}

function isOperation(operation: Members): boolean {
  const { op, scope, key, prefix, after, limit } = operation
  if (!isText(scope, 0, MAX_SCOPE_BYTES)) return false
  if (op === 'get') return isKey(key)
  if (op === 'list')
    return isPrefix(prefix) && (after === undefined || isKey(after)) && isWhole(limit, 1, MAX_PAGE_ENTRIES)
  return op === 'commit' && isCommit(operation)
}

function isCommit({ checks = [], writes }: Members): boolean {
  return (
    isList(checks, MAX_TRANSACTION_KEYS, isCheck) &&
    isList(writes, MAX_TRANSACTION_KEYS, isWrite) &&
    // Counts characters. Their number never exceeds the number of bytes, so no valid commit is refused.
    (writes as Members[]).reduce((sum, { value }) => sum + String(value ?? '').length, 0) <= MAX_WRITE_BYTES
  )
}

function isCheck({ key, prefix, version, count }: Members): boolean {
  if (!isWhole(version, 0)) return false
  return key === undefined ? isPrefix(prefix) && isWhole(count, 0) : isKey(key)
}

function isWrite({ key, value, by, ttlMs, isDeleted }: Members): boolean {
  if (!isKey(key) || (ttlMs !== undefined && !isWhole(ttlMs, 1))) return false
  if (isDeleted !== undefined) return isDeleted === true
  return by === undefined ? isJson(value) : Number.isFinite(by)
}

/** Checks that the text is JSON, because an export parses all values. */
function isJson(value: unknown): boolean {
  if (!isText(value, 1, MAX_WRITE_BYTES)) return false
  try {
    JSON.parse(value as string)
    return true
  } catch {
    return false
  }
}

function isKey(key: unknown): boolean {
  return isText(key, 1, MAX_KEY_BYTES)
}

function isPrefix(prefix: unknown): boolean {
  return isText(prefix, 0, MAX_KEY_BYTES)
}

/** True for a string of valid length that every database can store. */
function isText(text: unknown, least: number, mostBytes: number): boolean {
  if (typeof text !== 'string' || text.length < least || text.length > mostBytes) return false
  return !text.includes('\0') && text.isWellFormed() && Buffer.byteLength(text) <= mostBytes
}

function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

function isList(values: unknown, most: number, isValue: (value: Members) => boolean): boolean {
  if (!Array.isArray(values) || values.length > most) return false
  return values.every(value => typeof value === 'object' && value !== null && isValue(value))
}
