import { readText } from '../http/request-body.ts'
import { OAuthError } from '../oauth-error.ts'
import type { MetadataDocumentOptions } from '../options.ts'
import { readRegistration } from '../rules/registration.ts'
import type { Client } from '../storage/records.ts'
import { type FetchedDocument, fetchDocument, MAX_DOCUMENT_BYTES } from './fetch-document.ts'

const MAX_CACHED = 500
/** Bounds for the lifetime in a document's Cache-Control. The minimum is the default. */
const MIN_TTL_SECONDS = 300
const MAX_TTL_SECONDS = 24 * 3600

export interface DocumentReaderParts {
  fetch: MetadataDocumentOptions['fetch']
  refreshTokens: boolean
  now(): number
}

/**
 * Reads the metadata document of a client id that is a URL. Failures are not cached, so that a corrected document is accepted
 * immediately. Throws OAuthError `invalid_client_metadata` or `invalid_redirect_uri`.
 */
export function createDocumentReader(parts: DocumentReaderParts): (url: string) => Promise<Client> {
  const cache = new Map<string, { client: Client; expiresAt: number }>()
  const { fetch, now } = parts
  return async url => {
    const cached = cache.get(url)
    if (cached && cached.expiresAt > now()) return cached.client
    const document = await load(url, fetch)
    const client = readClient(url, document, parts.refreshTokens)
    cache.delete(url)
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!)
    cache.set(url, { client, expiresAt: now() + lifetimeSeconds(document.headers['cache-control']) })
    return client
  }
}

/** `max-age` within the bounds. The minimum if the document must not be cached or has no `max-age`. */
export function lifetimeSeconds(cacheControl: string | undefined): number {
  if (cacheControl === undefined || /no-store|no-cache/i.test(cacheControl)) return MIN_TTL_SECONDS
  const maxAge = Number(/max-age=(\d{1,9})/i.exec(cacheControl)?.[1] ?? MIN_TTL_SECONDS)
  return Math.min(Math.max(maxAge, MIN_TTL_SECONDS), MAX_TTL_SECONDS)
}

async function load(url: string, fetch: MetadataDocumentOptions['fetch']): Promise<FetchedDocument> {
  try {
    const document = fetch ? await fromResponse(await fetch(url)) : await fetchDocument(url)
    if (document.status === 200) return document
    throw new Error(`The server answered with status ${document.status}.`)
  } catch (cause) {
    // The reason is not sent, because it could reveal details of our network.
    throw invalidDocument('The metadata document of the application cannot be fetched.', cause)
  }
}

async function fromResponse(response: Response): Promise<FetchedDocument> {
  const header = (name: string) => response.headers.get(name) ?? undefined
  return {
    status: response.status,
    headers: { 'content-type': header('content-type'), 'cache-control': header('cache-control') },
    text: await readText(response, MAX_DOCUMENT_BYTES),
  }
}

/** A document contains its own URL, so that a copy at another URL is invalid. Documents are public and contain no secrets. */
function readClient(url: string, { text }: FetchedDocument, refreshTokens: boolean): Client {
  const document = parseObject(text)
  if (document.client_id !== url)
    throw invalidDocument('The client_id in the metadata document is not its URL.')
  if (document.client_secret !== undefined || (document.token_endpoint_auth_method ?? 'none') !== 'none') {
    throw invalidDocument('A client with a metadata document must have token_endpoint_auth_method "none".')
  }
  const metadata = readRegistration({ ...document, token_endpoint_auth_method: 'none' }, { refreshTokens })
  return { ...metadata, client_id: url, origin: 'metadata-document' }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // reported below
  }
  throw invalidDocument('The metadata document is not a JSON object.')
}

function invalidDocument(description: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_client_metadata', description, { cause })
}
