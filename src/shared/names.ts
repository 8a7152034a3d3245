/** Server names: 1–63 letters, digits, `-`, `_`, `.` (docs/decisions.md); never only dots, so never a path. */
export const SERVER_NAME = /^(?!\.+$)[A-Za-z0-9._-]{1,63}$/

export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** An image of any registry, or of this machine's engine: `weather:1`, `ghcr.io/team/weather@sha256:…`. */
export const IMAGE_REFERENCE = /^(?!.*\/\/)[A-Za-z0-9][A-Za-z0-9._:/-]{0,254}(@sha256:[0-9a-f]{64})?$/

/** Of two labels or more. */
export const HOST_NAME =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** Why a host name cannot be a custom domain. Undefined when it can. */
export function domainFault(text: string): string | undefined {
  const last = text.split('.').at(-1)!.toLowerCase()
  // Clients read a name that ends in a number as an IPv4 address (https://url.spec.whatwg.org/#ends-in-a-number-checker).
  if (/^(\d+|0x[0-9a-f]*)$/.test(last))
    return 'an IP address is not a domain; expected a name such as mcp.example.com'
  if (last === 'localhost')
    return 'names below .localhost are assigned by the daemon: leave the domain out, or map a subdomain (mcp domains add)'
  return undefined
}

/** A DNS label made of a server's name: lower case, `-` for what a label may not hold, never empty. */
export function toSubdomainLabel(name: string): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return label || 'server'
}

/** Longer words are no slip of the hand, and comparing them takes long. */
const MAX_COMPARED_LENGTH = 64

/** The nearest of `candidates` to `word` when it is near enough to be a slip of the hand, else undefined. */
export function nearestName(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_COMPARED_LENGTH) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    // So many letters more or fewer are so many slips at least; comparing a long word with a short one would take long.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, a row at a time. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? before[j - 2]! + 1 : change
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, change, swap)
    }
    before = row
    row = next
  }
  return row[b.length]!
}
