import type { Database } from './database.ts'

export interface Server {
  name: string
  /** The build that the preview address serves. */
  previewMcpId: string | null
}

interface ServerRow {
  name: string
  preview_mcp_id: string | null
}

export class ServerStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(name: string): Server | undefined {
    const row = this.#database.prepare<ServerRow>('SELECT * FROM servers WHERE name = ?').get([name])
    return row && toServer(row)
  }

  list(): Server[] {
    return this.#database.prepare<ServerRow>('SELECT * FROM servers').all().map(toServer)
  }

  /** Names. */
  withoutBuilds(): string[] {
    return this.#database
      .prepare<ServerRow>(
        'SELECT * FROM servers WHERE NOT EXISTS (SELECT 1 FROM builds WHERE builds.name = servers.name)',
      )
      .all()
      .map(({ name }) => name)
  }

  /** Does nothing when the server is already known. */
  ensure(name: string, now: string): void {
    this.#database
      .prepare('INSERT INTO servers (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run([name, now])
  }

  remove(name: string): void {
    this.#database.prepare('DELETE FROM servers WHERE name = ?').run([name])
  }

  setPreview(name: string, mcpId: string | null): void {
    this.#database.prepare('UPDATE servers SET preview_mcp_id = ? WHERE name = ?').run([mcpId, name])
  }
}

function toServer(row: ServerRow): Server {
  return { name: row.name, previewMcpId: row.preview_mcp_id }
}
