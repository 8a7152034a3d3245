import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload } from 'jose'
import { OAuthError } from '../oauth-error.ts'
import type { Sealer } from '../secrets.ts'
import type { OAuthStorage } from '../storage/storage.ts'
import { signCompact } from './compact-jws.ts'
import { keyPeriods, periodEnd } from './key-periods.ts'
import { ACCESS_TOKEN_TYPE, type TokenSigner } from './signing.ts'
import type { SigningAlgorithm } from './signing-algorithm.ts'

export interface RotatingSignerParts {
  algorithm: Exclude<SigningAlgorithm, 'HS256'>
  rotationSeconds: number
  /** Keys are published until all tokens signed with them have expired. */
  tokenTTL: number
  storage: OAuthStorage
  sealer: Sealer
  now(): number
}

interface SigningKey {
  kid: string
  privateKey: KeyObject
  publicKey: CryptoKey
  publicJwk: JWK
}

/**
 * Signs with a new key pair for each period. The key id contains the period, and the first process that needs a key creates it,
 * so that processes that share a storage agree. Private keys are stored encrypted.
 */
export function createRotatingSigner(parts: RotatingSignerParts): TokenSigner {
  const { algorithm, now } = parts
  const loaded = new Map<number, Promise<SigningKey>>()
  const load = (period: number) => {
    let key = loaded.get(period)
    if (!key) {
      key = loadKey(parts, period)
      key.catch(() => loaded.delete(period))
      loaded.set(period, key)
    }
    return key
  }
  const published = () => Promise.all(keyPeriods(parts, now()).published.map(load))
  return {
    algorithm,
    async sign(claims: JWTPayload) {
      const { kid, privateKey } = await load(keyPeriods(parts, now()).current)
      return signCompact({ algorithm, key: privateKey, kid }, ACCESS_TOKEN_TYPE, claims)
    },
    async verificationKey(kid) {
      const key = (await published()).find(candidate => candidate.kid === kid)
      if (key) return key.publicKey
      throw new OAuthError('invalid_token', 'The token is signed with an unknown key.')
    },
    publicKeys: async () => ({ keys: (await published()).map(({ publicJwk }) => publicJwk) }),
  }
}

async function loadKey(parts: RotatingSignerParts, period: number): Promise<SigningKey> {
  const { algorithm, storage, sealer } = parts
  // The id contains the fingerprint of the secret, because another secret cannot decrypt the stored key.
  const kid = `${sealer.fingerprint}-${parts.rotationSeconds}-${period}`
  const stored = (await storage.get<string>('signing-key', kid)) ?? (await makeKey(parts, period, kid))
  const jwk = sealer.unseal<JWK>('signing-key', stored)
  if (!jwk) throw new Error(`The stored signing key ${kid} cannot be decrypted.`)
  const { d: _, ...publicPart } = jwk
  const publicJwk: JWK = { ...publicPart, kid, alg: algorithm, use: 'sig' }
  return {
    kid,
    privateKey: createPrivateKey({ key: jwk as webcrypto.JsonWebKey, format: 'jwk' }),
    publicKey: (await importJWK(publicJwk, algorithm)) as CryptoKey,
    publicJwk,
  }
}

async function makeKey(parts: RotatingSignerParts, period: number, kid: string): Promise<string> {
  const { algorithm, storage, sealer } = parts
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const sealed = sealer.seal('signing-key', await exportJWK(privateKey))
  const isFirst = await storage.insert('signing-key', kid, sealed, periodEnd(parts, period))
  return isFirst ? sealed : (await storage.get<string>('signing-key', kid))!
}
