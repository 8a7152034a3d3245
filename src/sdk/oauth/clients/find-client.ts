import { redirectUriProblem } from '../rules/redirect-uri.ts'
import { hashToken } from '../secrets.ts'
import type { Client, ClientMetadata } from '../storage/records.ts'
import type { OAuthStorage } from '../storage/storage.ts'
import type { ClientDirectory } from './client-directory.ts'
import { isMetadataDocumentUrl } from './metadata-document.ts'

/** Client configured by the operator. */
export interface ConfiguredClient extends ClientMetadata {
  client_secret?: string
  /** Skips the consent page. For the operator's own applications. */
  skipConsent?: boolean
}

export interface ClientSources {
  configured: readonly ConfiguredClient[]
  storage: OAuthStorage
  /** Reads a metadata document. Undefined when disabled. */
  readDocument: ((url: string) => Promise<Client | undefined>) | undefined
  /** Redirect URIs for unknown client ids. */
  openRedirectUris: readonly string[] | 'loopback' | undefined
}

/**
 * Searches the configured clients, metadata documents, and registered clients, in this order. Accepts other client ids if there
 * are `openRedirectUris`.
 */
export function createClientDirectory(sources: ClientSources): ClientDirectory {
  const { storage, readDocument, openRedirectUris } = sources
  const configured = new Map(sources.configured.map(client => [client.client_id, configuredClient(client)]))
  return {
    readsMetadataDocuments: readDocument !== undefined,
    async find(clientId) {
      const own = configured.get(clientId)
      if (own) return own
      if (readDocument && isMetadataDocumentUrl(clientId)) return readDocument(clientId)
      const registered = await storage.get<Client>('client', clientId)
      const known = registered ?? (await storage.get<Client>('new-client', clientId))
      return known ?? unregisteredClient(clientId, openRedirectUris)
    },
  }
}

function configuredClient({ client_secret, skipConsent, ...metadata }: ConfiguredClient): Client {
  for (const uri of metadata.redirect_uris) {
    const problem = redirectUriProblem(uri)
    if (problem) throw new TypeError(`Client "${metadata.client_id}": the redirect URI "${uri}" ${problem}.`)
  }
  return {
    ...metadata,
    origin: 'configured',
    ...(client_secret !== undefined && { secretHash: hashToken(client_secret) }),
    ...(skipConsent && { skipConsent }),
  }
}

function unregisteredClient(clientId: string, open: ClientSources['openRedirectUris']): Client | undefined {
  if (open === undefined || open.length === 0 || clientId.length > 256) return undefined
  const client: Client = { client_id: clientId, redirect_uris: [], origin: 'unregistered' }
  return open === 'loopback' ? { ...client, anyLoopback: true } : { ...client, redirect_uris: [...open] }
}

/** Keeps a registered client permanently after its first sign-in. */
export async function keepClient(storage: OAuthStorage, clientId: string): Promise<void> {
  const client = await storage.get<Client>('new-client', clientId)
  if (!client) return
  await storage.put('client', clientId, client)
  await storage.delete('new-client', clientId)
}
