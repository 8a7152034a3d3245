import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import { readJsonFile } from '../project/json-file.ts'

/** Content of credentials.json, mode 0600. The daemon adds the key of `local` on its first start. */
export interface Credentials {
  contexts: Record<string, Credential>
}

/** API key or sign-in. */
export interface Credential {
  apiKey?: string
  session?: ApiSession
}

/** Tokens of a user's sign-in to a hosted API. */
export interface ApiSession {
  issuer: string
  /** Identifier of the API in tokens (RFC 8707). */
  resource: string
  clientId: string
  clientSecret?: string
  /** How the client sends its secret. Defaults to a method in the server's metadata. */
  clientAuth?: string
  accessToken: string
  /** Unix time in seconds. Undefined when the server reported no expiry. */
  expiresAt?: number
  refreshToken?: string
}

export function readCredentials(path: string): Credentials {
  const value = readJsonFile(path) as Partial<Credentials> | undefined
  return { contexts: value?.contexts ?? {} }
}

export function saveKey(path: string, context: string, apiKey: string): void {
  save(path, context, { apiKey })
}

export function saveSession(path: string, context: string, session: ApiSession): void {
  save(path, context, { session })
}

/** Removes the key or sign-in of a context. Returns false when nothing was saved for it. */
export function removeCredential(path: string, context: string): boolean {
  const { [context]: removed, ...contexts } = readCredentials(path).contexts
  if (removed) write(path, { contexts })
  return removed !== undefined
}

function save(path: string, context: string, credential: Credential): void {
  const { contexts } = readCredentials(path)
  write(path, { contexts: { ...contexts, [context]: credential } })
}

/** The key without surrounding whitespace. Throws INVALID_REQUEST unless it is 8 to 512 header-safe characters. */
export function validateKey(key: string): string {
  const trimmed = key.trim()
  if (/^[\x21-\x7e]{8,512}$/.test(trimmed)) return trimmed
  throw new HostingError(
    'INVALID_REQUEST',
    `The API key is invalid: ${trimmed ? 'it must be 8 to 512 printable ASCII characters without spaces' : 'it is empty'}.`,
  )
}

function write(path: string, credentials: Credentials): void {
  writeFileAtomic(path, `${JSON.stringify(credentials, null, 2)}\n`, 0o600)
}

/** Start and end of a key, which identify the key but cannot be used instead of it: `mcp_sk_…x4f9`. `…` for a short key. */
export function maskKey(key: string): string {
  return key.length < 20 ? '…' : `${key.slice(0, 7)}…${key.slice(-4)}`
}
