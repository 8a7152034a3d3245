import type { Client } from '../storage/records.ts'

export interface ClientDirectory {
  find(clientId: string): Promise<Client | undefined>
  /** Accepts the URL of a metadata document as client id. */
  readsMetadataDocuments: boolean
}
