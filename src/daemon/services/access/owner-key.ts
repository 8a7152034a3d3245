import { existsSync, readFileSync } from 'node:fs'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ApiKeys } from './api-keys.ts'

interface Credentials {
  contexts?: Record<string, { apiKey?: string } | undefined>
}

/**
 * Makes sure that the credentials file contains a known key, and returns it. Without one, creates a new owner's key. Other
 * contexts in the file are kept.
 */
export function ensureOwnerKey(apiKeys: ApiKeys, path: string): string {
  const credentials = readCredentials(path)
  const known = credentials.contexts?.local?.apiKey
  if (known && apiKeys.find(known)) return known
  const apiKey = apiKeys.replaceOwner()
  const contexts = { ...credentials.contexts, local: { ...credentials.contexts?.local, apiKey } }
  writeFileAtomic(path, `${JSON.stringify({ ...credentials, contexts }, null, 2)}\n`, 0o600)
  return apiKey
}

/** Throws CONFLICT for a damaged file, because it may hold keys for other services. */
function readCredentials(path: string): Credentials {
  if (!existsSync(path)) return {}
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
  } catch (cause) {
    throw damagedCredentials(path, cause)
  }
  throw damagedCredentials(path)
}

function damagedCredentials(path: string, cause?: unknown): HostingError {
  return new HostingError('CONFLICT', `The credentials file ${path} is not a JSON object.`, {
    details: 'Repair it, or move it away. The daemon then creates a new key.',
    cause,
  })
}
