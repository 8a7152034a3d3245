import { isLoopbackRedirect } from '../rules/redirect-uri.ts'

/** Describes the target of a redirect for users: its host, or the complete URI for a custom scheme. */
export function destination(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  if (isLoopbackRedirect(redirectUri)) return `a program on this computer (${host})`
  return protocol === 'https:' ? host : redirectUri
}
