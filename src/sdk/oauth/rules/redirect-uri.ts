/** Schemes that run scripts, or that the browser handles itself instead of passing the code to the client. */
const FORBIDDEN_SCHEMES = new Set([
  'about:',
  'blob:',
  'chrome:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'intent:',
  'javascript:',
  'mailto:',
  'tel:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
])

const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** `http`, a loopback host, an optional port, path and query. No user info. */
const LOOPBACK_URI = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?([/?].*)?$/

const MAX_LENGTH = 2048

/**
 * Reason why a URI is invalid for redirects, in words that complete a sentence. Undefined when it is valid. Allows https, http
 * on a loopback host (RFC 8252 7.3) and private-use schemes of apps (RFC 8252 7.1), in printable ASCII without a fragment (RFC
 * 6749 3.1.2), user name, `*` or backslash.
 */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\*]/.test(uri)) return 'has an invalid character'
  if (!URL.canParse(uri)) return 'is not an absolute URI'
  const url = new URL(uri)
  if (FORBIDDEN_SCHEMES.has(url.protocol)) return `has the scheme "${url.protocol}", which is not allowed`
  if (uri.includes('#')) return 'has a fragment'
  if (url.username || url.password) return 'has a user name or password'
  if (url.protocol === 'http:' && !LOOPBACK_URI.test(uri))
    return 'must use https, unless its host is a loopback address'
  if (url.protocol === 'https:' && !/^https:\/\/[^/?@]+(?:[/?]|$)/.test(uri)) return 'has no host'
  return undefined
}

/**
 * True if a requested URI equals a registered one (RFC 9700 4.1.3), except for the port of a loopback URI, which a native app
 * chooses when it starts (RFC 8252 7.3). `localhost` and `127.0.0.1` are different hosts.
 */
export function isRegisteredRedirect(registered: readonly string[], requested: string): boolean {
  if (redirectUriProblem(requested)) return false
  return registered.some(uri => uri === requested || sameLoopback(uri, requested))
}

/** True if the code is sent to a program on the user's machine, which cannot be identified by the URI. */
export function isLoopbackRedirect(uri: string): boolean {
  return LOOPBACK_URI.test(uri)
}

export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOSTS.has(hostname)
}

function sameLoopback(registered: string, requested: string): boolean {
  const left = LOOPBACK_URI.exec(registered)
  const right = LOOPBACK_URI.exec(requested)
  if (!left || !right || !URL.canParse(requested)) return false
  return left[1] === right[1] && (left[2] ?? '/') === (right[2] ?? '/')
}
