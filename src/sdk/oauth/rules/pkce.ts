import { equalSecrets, hashToken } from '../secrets.ts'

/** S256 challenge: 256 bits in base64url (RFC 7636 4.2). */
export function isCodeChallenge(value: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(value)
}

/** 43 to 128 unreserved characters (RFC 7636 4.1). */
function isCodeVerifier(value: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(value)
}

/** RFC 7636 4.6 for the method S256, the only supported one (OAuth 2.1 7.5.2). */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  return isCodeVerifier(verifier) && equalSecrets(hashToken(verifier), challenge)
}
