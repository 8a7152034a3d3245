import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import { HostingError, type NextStep } from '../../../shared/errors.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Next step for an owner without a copy of the key. */
export const NEW_KEY: NextStep = {
  description: 'No copy? Start with a new key, then deploy every server with environment variables again',
  command: 'mcp daemon start --new-secret-key',
}

/** AES-256-GCM (NIST SP 800-38D) with the home's key file. An encrypted text is nonce, tag, ciphertext. */
export class SecretBox {
  /** A KeyObject is seven times as fast as bytes. The daemon derives a key for each server that it starts. */
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

  /**
   * Throws UNAVAILABLE for a value that was altered or encrypted with another key. For the error, `what` names the value, and
   * `replace` completes a sentence about how to store it again.
   */
  unseal(sealed: Buffer, { what = 'A value', replace = 'store the value again' } = {}): string {
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
        `${what} cannot be decrypted with the key file ${this.#path}: altered, or encrypted with another key.`,
        { details: `Stop the daemon and put the old key file back, or ${replace}.`, cause },
      )
    }
  }

  /** Derives a key for one purpose, as base64. The same purpose gives the same key. */
  derive(purpose: string): string {
    return createHmac('sha256', this.#key).update(purpose).digest('base64')
  }
}

/** Writes a new key file, mode 0600. */
export function createKeyFile(path: string): void {
  writeFileAtomic(path, `${randomBytes(32).toString('base64')}\n`, 0o600)
}

/** Makes the key file private and reads it. Throws UNAVAILABLE for a file without a key. */
export function openSecretBox(path: string): SecretBox {
  chmodSync(path, 0o600)
  return readSecretBox(path)
}

/** Like `openSecretBox`, but changes nothing. */
export function readSecretBox(path: string): SecretBox {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length === 32) return new SecretBox(key, path)
  throw new HostingError(
    'UNAVAILABLE',
    `The key file ${path} is damaged: expected 32 bytes, found ${key.length}.`,
    {
      details:
        'Restore it from your copy while the daemon is stopped. Without it, the environment variables of deployments are lost.',
      next: [NEW_KEY],
    },
  )
}
