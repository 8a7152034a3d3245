import { isLoopbackRedirect } from '../rules/redirect-uri.ts'

/** Where a redirect leads, in words: the host, which a user can judge, and for an app's own scheme the whole address. */
export function destination(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  if (isLoopbackRedirect(redirectUri)) return `a program on this computer (${host})`
  return protocol === 'https:' ? host : redirectUri
}
