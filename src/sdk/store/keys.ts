import { MAX_KEY_BYTES } from '../../shared/instances/state-operations.ts'
import { storeError } from './store-error.ts'

/** Throws INVALID_KEY for a key that not every backend can store. */
export function checkKey(key: string): string {
  if (typeof key !== 'string') throw storeError('INVALID_KEY', `A key must be a string, not ${typeof key}.`)
  if (key === '') throw storeError('INVALID_KEY', 'The key is empty.')
  if (key.includes('\0') || !key.isWellFormed())
    throw storeError('INVALID_KEY', 'The key contains a NUL character or half of a surrogate pair.')
  const bytes = byteLength(key)
  if (bytes <= MAX_KEY_BYTES) return key
  throw storeError('INVALID_KEY', `The key has ${bytes} bytes. The limit is ${MAX_KEY_BYTES}.`)
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

/** Order of the UTF-8 bytes, which is the order of the code points. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Ranks surrogates above all other units of UTF-16. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
