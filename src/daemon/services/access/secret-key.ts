import { existsSync, renameSync } from 'node:fs'
import { HostingError } from '../../../shared/errors.ts'
import type { Store } from '../../store/store.ts'
import { createKeyFile, NEW_KEY, openSecretBox, type SecretBox } from './secrets.ts'

const CHECK_TEXT = 'check value of secret.key'

/**
 * Opens the key file that the database was encrypted with. Only an empty database gets a new key. Throws UNAVAILABLE,
 * and changes nothing, when the file is missing or damaged, or belongs to another database. `replace` accepts the existing key
 * or creates one. Values encrypted with the old key are then lost.
 */
export function openDatabaseSecrets(
  store: Pick<Store, 'facts' | 'isEmpty' | 'sealedValues' | 'idempotencyKeys'>,
  path: string,
  { replace = false } = {},
): SecretBox {
  const expected = store.facts.find('key_check')
  const isNew = expected === undefined && store.isEmpty()
  if (!existsSync(path)) {
    if (!isNew && !replace) throw missingKey(path)
    createKeyFile(path)
  } else if (replace) setAsideDamaged(path)
  const secrets = openSecretBox(path)
  const check = keyCheck(secrets)
  const isExpectedKey = expected === undefined ? opensAny(secrets, store.sealedValues()) : expected === check
  if (!isExpectedKey && !replace) throw wrongKey(path)
  if (expected !== check) {
    // Stored answers that were encrypted with the old key cannot be replayed.
    store.idempotencyKeys.clear()
    store.facts.set('key_check', check)
  }
  return secrets
}

/** Identifies a key without revealing it. */
export function keyCheck(secrets: Pick<SecretBox, 'derive'>): string {
  return secrets.derive(CHECK_TEXT)
}

/** Checks the key by decrypting stored values, because databases from older versions have no check value. */
function opensAny(secrets: SecretBox, sealed: readonly Buffer[]): boolean {
  return sealed.length === 0 || sealed.some(value => canOpen(secrets, value))
}

function canOpen(secrets: SecretBox, sealed: Buffer): boolean {
  try {
    secrets.unseal(sealed)
    return true
  } catch {
    return false
  }
}

function setAsideDamaged(path: string): void {
  try {
    openSecretBox(path)
  } catch {
    renameSync(path, `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`)
    createKeyFile(path)
  }
}

function missingKey(path: string): HostingError {
  return new HostingError('UNAVAILABLE', `The key file ${path} of the database is missing.`, {
    details:
      'Without it, the environment variables of deployments and the saved model keys cannot be decrypted. Nothing was changed.',
    next: [
      { description: 'Restore the file from your copy while the daemon is stopped, then start it' },
      NEW_KEY,
    ],
  })
}

function wrongKey(path: string): HostingError {
  return new HostingError('UNAVAILABLE', `The key file ${path} does not belong to the database.`, {
    details: 'It is from another home, or it was replaced. Nothing was changed.',
    next: [
      { description: 'Restore the right file from your copy while the daemon is stopped, then start it' },
      NEW_KEY,
    ],
  })
}
