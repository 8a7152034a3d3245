import type BetterSqlite3 from 'better-sqlite3'
import type { ChangeAction, ChangeType } from '../../shared/contract/monitoring/change-types.ts'
import type { ChangeEvent } from '../../shared/contract/monitoring/events.ts'

/** A record that was created, changed or removed, with the fields of its event. */
export type RecordChange = Pick<ChangeEvent, 'type' | 'action' | 'id'> & Record<string, unknown>

interface Watched {
  table: string
  /** The column for each field of the event. */
  fields: { id: string } & Record<string, string>
  /** Columns whose updates are reported. */
  updates: readonly string[]
}

const WATCHED: Partial<Record<ChangeType, Watched>> = {
  server: {
    table: 'servers',
    fields: { id: 'name', server: 'name', mcpId: 'preview_mcp_id' },
    updates: ['preview_mcp_id'],
  },
  build: {
    table: 'builds',
    fields: { id: 'id', server: 'name', status: 'status' },
    updates: ['status', 'expires_at'],
  },
  deployment: {
    table: 'deployments',
    fields: { id: 'id', server: 'name', environment: 'environment', mcpId: 'mcp_id', status: 'status' },
    updates: ['status'],
  },
  release: {
    table: 'releases',
    fields: { id: 'id', server: 'server', environment: 'environment', mcpId: 'mcp_id', version: 'version' },
    updates: ['removed_at'],
  },
  containerBuild: {
    table: 'container_builds',
    fields: { id: 'id', projectId: 'project_id', status: 'status', phase: 'phase' },
    updates: ['status', 'phase'],
  },
  project: {
    table: 'projects',
    fields: { id: 'id', projectId: 'id', status: 'status' },
    updates: ['updated_at'],
  },
  mapping: {
    table: 'mappings',
    fields: { id: 'id', server: 'server', environment: 'environment' },
    updates: ['server', 'environment'],
  },
  variable: {
    table: 'variables',
    fields: { id: 'name', server: 'server', environment: 'environment' },
    updates: ['sealed', 'secret'],
  },
  chat: {
    table: 'chats',
    fields: { id: 'id', server: 'name', mcpId: 'mcp_id' },
    updates: ['message_count'],
  },
  suiteRun: {
    table: 'suite_runs',
    fields: { id: 'id', server: 'server', mcpId: 'mcp_id', status: 'status' },
    updates: ['status'],
  },
  key: { table: 'api_keys', fields: { id: 'id' }, updates: ['name', 'scopes', 'expires_at'] },
  modelKey: { table: 'model_keys', fields: { id: 'vendor' }, updates: ['sealed'] },
}

const ACTIONS = {
  created: { event: 'INSERT', row: 'NEW' },
  updated: { event: 'UPDATE', row: 'NEW' },
  removed: { event: 'DELETE', row: 'OLD' },
} as const satisfies Record<ChangeAction, object>

/**
 * Committed changes to records. Temporary triggers report every write of the connection, so no caller has to. They exist
 * only while a listener does.
 */
export class RecordChanges {
  readonly #connection: BetterSqlite3.Database
  #listener: ((changes: RecordChange[]) => void) | undefined
  #pending: RecordChange[] = []

  constructor(connection: BetterSqlite3.Database) {
    this.#connection = connection
  }

  /** Delivers changes after the transaction that made them, until the returned function is called. */
  watch(listener: (changes: RecordChange[]) => void): () => void {
    this.#connection.function('report_change', (change: unknown) =>
      this.#add(JSON.parse(String(change), withoutNull)),
    )
    this.#connection.exec(TRIGGERS.map(({ create }) => create).join(';'))
    this.#listener = listener
    return () => {
      this.#listener = undefined
      // After a hand-over to another daemon, not even temporary triggers can be dropped. Their reports are then discarded.
      if (this.#connection.pragma('query_only', { simple: true })) return
      this.#connection.exec(TRIGGERS.map(({ name }) => `DROP TRIGGER IF EXISTS temp.${name}`).join(';'))
    }
  }

  /** Number of changes that are not yet delivered. */
  get position(): number {
    return this.#pending.length
  }

  /** Forgets the changes since `position`, because they were rolled back. */
  rollBackTo(position: number): void {
    this.#pending.length = Math.min(this.#pending.length, position)
  }

  #add(change: RecordChange): null {
    // Transactions are synchronous, so the current one has finished when the microtask runs.
    if (this.#pending.push(change) === 1) queueMicrotask(() => this.#deliver())
    return null
  }

  #deliver(): void {
    const changes = this.#pending
    this.#pending = []
    if (changes.length > 0) this.#listener?.(changes)
  }
}

const TRIGGERS = Object.entries(WATCHED).flatMap(([type, { table, fields, updates }]) =>
  Object.entries(ACTIONS).map(([action, { event, row }]) => {
    const name = `${table}_${action}`
    const columns = event === 'UPDATE' ? ` OF ${updates.join(', ')}` : ''
    const values = Object.entries(fields).map(([field, column]) => `'${field}', ${row}.${column}`)
    const change = `json_object('type', '${type}', 'action', '${action}', ${values.join(', ')})`
    const create = `CREATE TEMP TRIGGER IF NOT EXISTS ${name} AFTER ${event}${columns} ON main.${table}
      BEGIN SELECT report_change(${change}); END`
    return { name, create }
  }),
)

/** Omits fields without a value. */
function withoutNull(_field: string, value: unknown): unknown {
  return value ?? undefined
}
