/**
 * Packs pairs of index and count. Index deltas and counts are written as LEB128
 * (https://en.wikipedia.org/wiki/LEB128#Unsigned_LEB128). One minute of one tool takes about 60 bytes.
 */
export function packCounts(pairs: readonly number[]): Buffer {
  const bytes: number[] = []
  let last = 0
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    pushVarint(bytes, pairs[at]! - last)
    pushVarint(bytes, pairs[at + 1]!)
    last = pairs[at]!
  }
  return Buffer.from(bytes)
}

export function unpackCounts(packed: Uint8Array): number[] {
  const pairs: number[] = []
  let index = 0
  for (let at = 0; at < packed.length; ) {
    const gap = readVarint(packed, at)
    const count = readVarint(packed, gap.next)
    index += gap.value
    pairs.push(index, count.value)
    at = count.next
  }
  return pairs
}

// Divides instead of shifting, because counts over several years may exceed 32 bits.
function pushVarint(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}

function readVarint(bytes: Uint8Array, from: number): { value: number; next: number } {
  let value = 0
  let factor = 1
  for (let at = from; at < bytes.length; at++, factor *= 128) {
    const byte = bytes[at]!
    value += (byte % 128) * factor
    if (byte < 128) return { value, next: at + 1 }
  }
  return { value, next: bytes.length }
}
