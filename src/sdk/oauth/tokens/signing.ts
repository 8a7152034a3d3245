import { createSecretKey } from 'node:crypto'
import type { CryptoKey, JSONWebKeySet, JWTPayload } from 'jose'
import { signCompact } from './compact-jws.ts'
import type { SigningAlgorithm } from './signing-algorithm.ts'

/** Signs access tokens and says how they are verified. */
export interface TokenSigner {
  algorithm: SigningAlgorithm
  sign(claims: JWTPayload): Promise<string>
  /** The key that a token's `kid` names. Throws when there is none. */
  verificationKey(kid: string | undefined): Promise<CryptoKey | Uint8Array>
  /** Public keys; undefined for HS256, whose key is the secret. */
  publicKeys?(): Promise<JSONWebKeySet>
}

/** RFC 9068 2.1: what tells an access token from every other JWT of the same key. */
export const ACCESS_TOKEN_TYPE = 'at+jwt'

/** HS256 with the secret itself (its UTF-8 bytes), so that a resource server that has it can verify tokens alone. */
export function createSecretSigner(secret: string): TokenSigner {
  const bytes = new TextEncoder().encode(secret)
  const key = createSecretKey(bytes)
  return {
    algorithm: 'HS256',
    sign: async claims => signCompact({ algorithm: 'HS256', key }, ACCESS_TOKEN_TYPE, claims),
    verificationKey: async () => bytes,
  }
}
