import type { Client } from '../storage/records.ts'

export interface ClientDirectory {
  find(clientId: string): Promise<Client | undefined>
  /** True when a client id may be the URL of a metadata document. */
  readsMetadataDocuments: boolean
}
