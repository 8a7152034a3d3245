import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError, type NextStep } from '../../shared/errors.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** First words of the error for values of another key. */
export const UNDECRYPTABLE = 'Environment variables cannot be decrypted with the key file'

/** The way out for an owner who has no copy of the key. */
export const NEW_KEY: NextStep = {
  description: 'Without it: start with a new key, then deploy again whatever has environment variables',
  command: 'mcp daemon start --new-secret-key',
}

/** AES-256-GCM (NIST SP 800-38D) under the key file of the home; a sealed text is nonce, tag, ciphertext. */
export class SecretBox {
  /** Seven times as fast as its bytes: a start of the daemon derives a key a server. */
  readonly #key: KeyObject
  readonly #path: string

  constructor(key: Buffer, path: string) {
    this.#key = createSecretKey(key)
    this.#path = path
  }

  seal(text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
  }

  /** Throws UNAVAILABLE when another key sealed it or it was changed. */
  unseal(sealed: Buffer): string {
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch (cause) {
      throw new HostingError(
        'UNAVAILABLE',
        `${UNDECRYPTABLE} ${this.#path}: it is not the one that encrypted them.`,
        { details: 'Put the old key file back, or deploy again with the values.', cause },
      )
    }
  }

  /** A key for one purpose, the same each time, base 64. */
  derive(purpose: string): string {
    return createHmac('sha256', this.#key).update(purpose).digest('base64')
  }
}

/** Writes a new key file, mode 0600. */
export function createKeyFile(path: string): void {
  writeFileAtomic(path, `${randomBytes(32).toString('base64')}\n`, 0o600)
}

/** Reads the key file. Throws UNAVAILABLE for a file that holds no key. */
export function openSecretBox(path: string): SecretBox {
  chmodSync(path, 0o600)
  return readSecretBox(path)
}

/** The same for a reader that changes nothing. */
export function readSecretBox(path: string): SecretBox {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length === 32) return new SecretBox(key, path)
  throw new HostingError(
    'UNAVAILABLE',
    `The key file ${path} is damaged: it holds ${key.length} bytes, 32 are expected.`,
    {
      details: 'Put a backup in its place; without it the environment variables of deployments are lost.',
      next: [NEW_KEY],
    },
  )
}
