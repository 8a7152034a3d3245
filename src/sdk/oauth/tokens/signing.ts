import { createSecretKey } from 'node:crypto'
import type { CryptoKey, JSONWebKeySet, JWTPayload } from 'jose'
import { signCompact } from './compact-jws.ts'
import type { SigningAlgorithm } from './signing-algorithm.ts'

/** Signs access tokens and provides the keys to verify them. */
export interface TokenSigner {
  algorithm: SigningAlgorithm
  sign(claims: JWTPayload): Promise<string>
  /** Key of a token's `kid`. Throws when there is none. */
  verificationKey(kid: string | undefined): Promise<CryptoKey | Uint8Array>
  /** Undefined for HS256, whose key is the secret. */
  publicKeys?(): Promise<JSONWebKeySet>
}

/** Distinguishes access tokens from other JWTs with the same key (RFC 9068 2.1). */
export const ACCESS_TOKEN_TYPE = 'at+jwt'

/** HS256 with the UTF-8 bytes of the secret, so that resource servers with the secret can verify tokens. */
export function createSecretSigner(secret: string): TokenSigner {
  const bytes = new TextEncoder().encode(secret)
  const key = createSecretKey(bytes)
  return {
    algorithm: 'HS256',
    sign: async claims => signCompact({ algorithm: 'HS256', key }, ACCESS_TOKEN_TYPE, claims),
    verificationKey: async () => bytes,
  }
}
