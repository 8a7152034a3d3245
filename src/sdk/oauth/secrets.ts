import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16

/** Random text in base64url, for codes, tokens and states. 256 bits by default. RFC 6749 10.10 requires at least 128 bits. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}

/**
 * 128 random bits in hexadecimal, for ids that users type. Base64url may start with `-`, which a command line reads as an option.
 */
export function randomId(): string {
  return randomBytes(16).toString('hex')
}

/** SHA-256 in base64url, to store codes and tokens. They are random, so no salt is needed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Compares two strings in constant time. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(
    createHash('sha256').update(left).digest(),
    createHash('sha256').update(right).digest(),
  )
}

/** Encrypts and authenticates values. */
export interface Sealer {
  /** Identifies the secret without revealing it. */
  fingerprint: string
  /** MAC of values, 43 characters of base64url. */
  authenticate(purpose: string, values: readonly unknown[]): string
  seal(purpose: string, value: unknown): string
  /** Undefined when the text was sealed for another purpose or with another secret, or was changed. */
  unseal<T>(purpose: string, sealed: string): T | undefined
}

/** AES-256-GCM and HMAC-SHA256, with keys derived from `secret` (RFC 5869), because the secret itself signs tokens. */
export function createSealer(secret: string): Sealer {
  const key = derive(secret, 'mcp oauth sealing')
  // Created once, because creating a KeyObject takes longer than computing a MAC.
  const macKey = createSecretKey(derive(secret, 'mcp oauth authentication'))
  return {
    fingerprint: createHash('sha256').update(key).digest('hex').slice(0, 8),
    authenticate: (purpose, values) =>
      createHmac('sha256', macKey)
        .update(JSON.stringify([purpose, ...values]))
        .digest('base64url'),
    seal: (purpose, value) => seal(key, purpose, value),
    unseal: (purpose, sealed) => unseal(key, purpose, sealed),
  }
}

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}

function seal(key: Buffer, purpose: string, value: unknown): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose))
  const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
}

function unseal<T>(key: Buffer, purpose: string, sealed: string): T | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
    return JSON.parse(text.toString()) as T
  } catch {
    return undefined // not ours, or changed
  }
}
