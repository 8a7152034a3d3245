import type { Client } from '../storage/records.ts'

/** Finds the client that an id names; undefined when there is none. */
export interface ClientDirectory {
  find(clientId: string): Promise<Client | undefined>
  /** Whether the address of a metadata document is an id. */
  readsMetadataDocuments: boolean
}
