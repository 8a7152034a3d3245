/**
 * IP addresses as numbers, without methods that user code could replace. No array, regular expression or string method is looked
 * up here after this module is loaded.
 */
export type AddressGroups = Uint16Array

const Groups = Uint16Array
const charCodeAt: (text: string, at: number) => number = Function.prototype.call.bind(
  String.prototype.charCodeAt,
)

const [DOT, COLON, PERCENT] = [0x2e, 0x3a, 0x25]
const MAPPED_GROUPS = 5

/** Eight groups of 16 bits. IPv4 addresses are mapped to IPv6. Undefined for other text. A zone is ignored. */
export function parseAddress(text: string): AddressGroups | undefined {
  const groups = new Groups(8)
  const end = endOf(text)
  let count = 0
  let gapAt = -1
  let at = 0
  let followsGroup = false
  while (at < end) {
    if (charCodeAt(text, at) === COLON) {
      const isGap = at + 1 < end && charCodeAt(text, at + 1) === COLON && gapAt === -1
      if (isGap) gapAt = count
      else if (!followsGroup) return undefined
      followsGroup = false
      at += isGap ? 2 : 1
      if (!isGap && (at === end || charCodeAt(text, at) === COLON)) return undefined
      continue
    }
    const partEnd = endOfPart(text, at, end)
    if (partEnd < end && charCodeAt(text, partEnd) === DOT) {
      const value = parseIpv4(text, at, end)
      if (value === undefined || count > 6) return undefined
      if (at === 0) groups[MAPPED_GROUPS] = 0xffff
      const first = at === 0 ? 6 : count
      groups[first] = value >>> 16
      groups[first + 1] = value & 0xffff
      count = first + 2
      at = end
      break
    }
    const value = parseGroup(text, at, partEnd)
    if (value === undefined || count === 8) return undefined
    groups[count] = value
    count++
    followsGroup = true
    at = partEnd
  }
  return finish(groups, count, gapAt)
}

/** Unique text per address. */
export function addressKey(groups: AddressGroups): string {
  let key = ''
  for (let at = 0; at < 8; at++) key += `${groups[at]!},`
  return key
}

export function isMapped(groups: AddressGroups): boolean {
  for (let at = 0; at < MAPPED_GROUPS; at++) if (groups[at] !== 0) return false
  return groups[MAPPED_GROUPS] === 0xffff
}

/** True when the first `bits` bits are equal. */
export function sharesPrefix(a: AddressGroups, b: AddressGroups, bits: number): boolean {
  for (let at = 0, left = bits; left > 0; at++, left -= 16) {
    const mask = left >= 16 ? 0xffff : (0xffff << (16 - left)) & 0xffff
    if ((a[at]! & mask) !== (b[at]! & mask)) return false
  }
  return true
}

function finish(groups: AddressGroups, count: number, gapAt: number): AddressGroups | undefined {
  if (gapAt === -1) return count === 8 ? groups : undefined
  if (count === 8) return undefined
  const moved = count - gapAt
  for (let at = 0; at < moved; at++) {
    groups[7 - at] = groups[count - 1 - at]!
    if (count - 1 - at < 8 - moved) groups[count - 1 - at] = 0
  }
  return groups
}

function endOf(text: string): number {
  for (let at = 0; at < text.length; at++) if (charCodeAt(text, at) === PERCENT) return at
  return text.length
}

function endOfPart(text: string, from: number, end: number): number {
  let at = from
  while (at < end && charCodeAt(text, at) !== COLON && charCodeAt(text, at) !== DOT) at++
  return at
}

function parseGroup(text: string, from: number, end: number): number | undefined {
  if (end === from || end - from > 4) return undefined
  let value = 0
  for (let at = from; at < end; at++) {
    const digit = hexDigit(charCodeAt(text, at))
    if (digit === undefined) return undefined
    value = value * 16 + digit
  }
  return value
}

function hexDigit(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined
}

function parseIpv4(text: string, from: number, end: number): number | undefined {
  let value = 0
  let part = 0
  let digits = 0
  let parts = 1
  for (let at = from; at < end; at++) {
    const code = charCodeAt(text, at)
    if (code === DOT) {
      if (digits === 0) return undefined
      value = value * 256 + part
      part = 0
      digits = 0
      parts++
      continue
    }
    if (code < 0x30 || code > 0x39) return undefined
    if (digits === 1 && part === 0) return undefined // a leading zero
    part = part * 10 + (code - 0x30)
    digits++
    if (part > 255 || digits > 3) return undefined
  }
  return parts === 4 && digits > 0 ? value * 256 + part : undefined
}
