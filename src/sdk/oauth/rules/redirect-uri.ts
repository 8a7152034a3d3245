/** Schemes that a browser handles by itself, so that no program of the client would get the code, or that run script. */
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

/** `http`, a loopback host, perhaps a port, then nothing but a path and query: no userinfo can hide in it. */
const LOOPBACK_URI = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?([/?].*)?$/

const MAX_LENGTH = 2048

/**
 * Why a URI cannot be registered for redirects, as the end of a sentence that begins with it; undefined when it can.
 * https anywhere, http on a loopback host only (RFC 8252 7.3), a private-use scheme of an app (RFC 8252 7.1); no fragment
 * (RFC 6749 3.1.2), no user name, no pattern, nothing that a URL parser would rewrite into another address.
 */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\*]/.test(uri))
    return 'has a character that a redirect URI may not have'
  if (!URL.canParse(uri)) return 'is not an absolute URI'
  const url = new URL(uri)
  if (FORBIDDEN_SCHEMES.has(url.protocol)) return `has the scheme "${url.protocol}", which is not allowed`
  if (uri.includes('#')) return 'has a fragment'
  if (url.username || url.password) return 'has a user name or password'
  if (url.protocol === 'http:' && !LOOPBACK_URI.test(uri))
    return 'must use https, unless its host is a loopback one'
  if (url.protocol === 'https:' && !/^https:\/\/[^/?@]+(?:[/?]|$)/.test(uri)) return 'has no host'
  return undefined
}

/**
 * Whether a requested URI is a registered one: the same string (RFC 9700 4.1.3), except for the port of a loopback URI,
 * which a native app chooses when it starts (RFC 8252 7.3). `localhost` and `127.0.0.1` are not the same host.
 */
export function isRegisteredRedirect(registered: readonly string[], requested: string): boolean {
  if (redirectUriProblem(requested)) return false
  return registered.some(uri => uri === requested || sameLoopback(uri, requested))
}

/** Whether the code would go to a program on the user's own machine: who it is cannot be proven by its address. */
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
