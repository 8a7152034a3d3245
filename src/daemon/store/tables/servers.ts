import type { Database } from '../database.ts'
import { TableStore } from '../record-store.ts'

export interface Server {
  name: string
  /** The build that the preview address serves. */
  previewMcpId: string | null
}

export class ServerStore extends TableStore<Server> {
  constructor(database: Database) {
    super(database, 'servers')
  }

  find(name: string): Server | undefined {
    return this.table.find('WHERE name = ?', [name])
  }

  list(): Server[] {
    return this.table.list()
  }

  namesWithoutBuilds(): string[] {
    return this.table
      .list('WHERE NOT EXISTS (SELECT 1 FROM builds WHERE builds.name = servers.name)')
      .map(({ name }) => name)
  }

  /** Does nothing when the server is already known. */
  ensure(name: string, now: string): void {
    this.database
      .prepare('INSERT INTO servers (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run([name, now])
  }

  remove(name: string): void {
    this.table.remove('name = ?', [name])
  }

  setPreview(name: string, mcpId: string | null): void {
    this.database.prepare('UPDATE servers SET preview_mcp_id = ? WHERE name = ?').run([mcpId, name])
  }
}
