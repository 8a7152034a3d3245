import type { Destination } from '../../shared/metrics.ts'
import type { Database } from './database.ts'

interface Row {
  host: string
  port: number
  connections: number
  failures: number
  refusals: number
  bytes_sent: number
  bytes_received: number
  last_at: string
}

/** What the code of deployments connected to. */
export class DestinationStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Since the deployment was made. */
  list(id: string): Destination[] {
    const rows = this.#database
      .prepare<Row>('SELECT * FROM deployment_destinations WHERE deployment_id = ?')
      .all([id])
    return rows.map(row => ({
      host: row.host,
      port: row.port,
      connections: row.connections,
      failures: row.failures,
      refusals: row.refusals,
      bytesSent: row.bytes_sent,
      bytesReceived: row.bytes_received,
      lastAt: row.last_at,
    }))
  }

  /** Adds to what is there, in one transaction. Previews and removed deployments are left out. */
  add(deployments: readonly { id: string; all: readonly Destination[] }[]): void {
    this.#database.transaction(() => {
      for (const { id, all } of deployments) {
        if (!this.#database.prepare('SELECT 1 FROM deployments WHERE id = ?').get([id])) continue
        for (const one of all) this.#addOne(id, one)
      }
    })
  }

  #addOne(id: string, one: Destination): void {
    this.#database
      .prepare(
        `INSERT INTO deployment_destinations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (deployment_id, host, port) DO UPDATE SET
           connections = connections + excluded.connections,
           failures = failures + excluded.failures,
           refusals = refusals + excluded.refusals,
           bytes_sent = bytes_sent + excluded.bytes_sent,
           bytes_received = bytes_received + excluded.bytes_received,
           last_at = excluded.last_at`,
      )
      .run([
        id,
        one.host,
        one.port,
        one.connections,
        one.failures,
        one.refusals,
        one.bytesSent,
        one.bytesReceived,
        one.lastAt,
      ])
  }
}
