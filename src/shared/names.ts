/** Server names: 1–63 letters, digits, `-`, `_`, `.` (docs/decisions/api.md). Dots alone would be a path. */
export const SERVER_NAME = /^(?!\.+$)[A-Za-z0-9._-]{1,63}$/

/** Recommended by MCP (SEP-986). Model vendors reject tools with other names. */
export const TOOL_NAME = /^[A-Za-z0-9_./-]+$/

export const MAX_NAME_LENGTH = 128

export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Names of HTTP headers: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
export const HTTP_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Image in a registry or in the local engine: `weather:1`, `ghcr.io/team/weather@sha256:…`. */
export const IMAGE_REFERENCE = /^(?!.*\/\/)[A-Za-z0-9][A-Za-z0-9._:/-]{0,254}(@sha256:[0-9a-f]{64})?$/

/** At least two labels. */
export const HOST_NAME =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** Host of the console. Cookies are sent to every port of a host. No server of the daemon can have this name. */
export const CONSOLE_HOST = 'console.mcp-hosting.localhost'

/** Host of the frames that show MCP Apps. Not the console's site, so browsers keep cookies and processes of the two apart. */
export const APP_HOST = 'frames.mcp-apps.localhost'

/** Reason why a host name cannot be a custom domain. Undefined when it can. */
export function domainFault(text: string): string | undefined {
  const last = text.split('.').at(-1)!.toLowerCase()
  // Clients parse a name that ends in a number as an IPv4 address (https://url.spec.whatwg.org/#ends-in-a-number-checker).
  if (/^(\d+|0x[0-9a-f]*)$/.test(last))
    return 'an IP address is not a domain; expected a name such as mcp.example.com'
  if (last === 'localhost')
    return 'the daemon assigns names below .localhost: omit the domain, or map a subdomain (mcp domains add)'
  return undefined
}

/** DNS label from a server's name: lower case, `-` instead of invalid characters, never empty. */
export function toSubdomainLabel(name: string): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return label || 'server'
}

/** Comparing longer words takes too long. */
const MAX_COMPARED_LENGTH = 64

/** Too many names start with a shorter word. */
const MIN_PREFIX_LENGTH = 3

/** Candidate that `word` probably misspells or abbreviates. Undefined when none is close enough. */
export function nearestName(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_COMPARED_LENGTH) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    // The distance is at least the difference in length. Comparing a long word with a short one would be slow.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best ?? onlyPrefixed(word, candidates)
}

/** `production` for `prod`. */
function onlyPrefixed(word: string, candidates: readonly string[]): string | undefined {
  if (word.length < MIN_PREFIX_LENGTH) return undefined
  const found = candidates.filter(candidate => candidate.toLowerCase().startsWith(word.toLowerCase()))
  return found.length === 1 ? found[0] : undefined
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of adjacent letters. */
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
