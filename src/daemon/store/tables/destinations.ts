import type { Destination } from '../../../shared/contract/monitoring/metrics.ts'
import type { Database } from '../database.ts'
import { TableStore } from '../record-store.ts'

/** Hosts and ports that the code of deployments connected to, or was denied access to. */
export class DestinationStore extends TableStore<Destination & { deploymentId: string }> {
  constructor(database: Database) {
    super(database, 'deployment_destinations')
  }

  /** Totals since the deployment was created. */
  list(id: string): Destination[] {
    return this.table
      .list('WHERE deployment_id = ?', [id])
      .map(({ deploymentId: _, ...destination }) => destination)
  }

  /** Adds to the stored totals in one transaction. Previews and removed deployments are omitted. */
  add(deployments: readonly { id: string; all: readonly Destination[] }[]): void {
    this.database.transaction(() => {
      for (const { id, all } of deployments) {
        if (!this.database.prepare('SELECT 1 FROM deployments WHERE id = ?').get([id])) continue
        for (const one of all) this.#addOne(id, one)
      }
    })
  }

  #addOne(deploymentId: string, destination: Destination): void {
    this.table.insert(
      { deploymentId, ...destination },
      `ON CONFLICT (deployment_id, host, port) DO UPDATE SET
         connections = connections + excluded.connections,
         failures = failures + excluded.failures,
         refusals = refusals + excluded.refusals,
         bytes_sent = bytes_sent + excluded.bytes_sent,
         bytes_received = bytes_received + excluded.bytes_received,
         last_at = excluded.last_at`,
    )
  }
}
