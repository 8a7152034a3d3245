import { redirectUriProblem } from '../rules/redirect-uri.ts'
import { hashToken } from '../secrets.ts'
import type { Client, ClientMetadata } from '../storage/records.ts'
import type { OAuthStorage } from '../storage/storage.ts'
import type { ClientDirectory } from './client-directory.ts'
import { isMetadataDocumentUrl } from './metadata-document.ts'

/** A client that the operator configures. */
export interface ConfiguredClient extends ClientMetadata {
  client_secret?: string
  /** Its users are not asked: for an application of the operator's own. */
  skipConsent?: boolean
}

export interface ClientSources {
  configured: readonly ConfiguredClient[]
  storage: OAuthStorage
  /** Reads the document at an address; undefined when that is switched off. */
  readDocument: ((url: string) => Promise<Client | undefined>) | undefined
  /** For ids that nothing else knows: redirect URIs that any client may use. */
  openRedirectUris: readonly string[] | undefined
}

/** Looks among the configured clients, then for a metadata document, then among those that registered themselves. */
export function createClientDirectory(sources: ClientSources): ClientDirectory {
  const { storage, readDocument, openRedirectUris } = sources
  const configured = new Map(sources.configured.map(client => [client.client_id, configuredClient(client)]))
  return {
    readsMetadataDocuments: readDocument !== undefined,
    async find(clientId) {
      const own = configured.get(clientId)
      if (own) return own
      if (readDocument && isMetadataDocumentUrl(clientId)) return readDocument(clientId)
      return (await storage.get<Client>('client', clientId)) ?? unregistered(clientId, openRedirectUris)
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

function unregistered(clientId: string, redirectUris: readonly string[] | undefined): Client | undefined {
  if (!redirectUris || clientId.length > 256) return undefined
  return { client_id: clientId, redirect_uris: [...redirectUris], origin: 'unregistered' }
}
