import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { SigningAlgorithm } from './signing-algorithm.ts'

export interface JwsKey {
  algorithm: SigningAlgorithm
  /** Secret for HS256, otherwise the private key. */
  key: KeyObject
  kid?: string
}

/**
 * Signs a JWT in compact form (RFC 7515 7.1). Synchronous, because dispatching to the thread pool of Web Crypto, as libraries do,
 * takes longer than signing.
 */
export function signCompact({ algorithm, key, kid }: JwsKey, type: string, claims: object): string {
  const header = { alg: algorithm, typ: type, ...(kid !== undefined && { kid }) }
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${signature(algorithm, key, input)}`
}

function signature(algorithm: SigningAlgorithm, key: KeyObject, input: string): string {
  if (algorithm === 'HS256') return createHmac('sha256', key).update(input).digest('base64url')
  // Ed25519 includes hashing. ES256 signatures are two concatenated numbers (RFC 7518 3.4).
  const bytes =
    algorithm === 'EdDSA'
      ? sign(null, Buffer.from(input), key)
      : sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return bytes.toString('base64url')
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
