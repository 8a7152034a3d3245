import type { SuiteRunCase, SuiteRunSummary } from '../../../shared/contract/projects/suite-runs.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import { type Page, Table } from '../table.ts'

export type SuiteRun = SuiteRunSummary

/** Runs of test suites with their cases. Removing a run removes its cases. */
export class SuiteRunStore extends RecordStore<SuiteRun> {
  readonly #cases: Table<{ runId: string; cases: SuiteRunCase[] }>

  constructor(database: Database) {
    super(database, 'suite_runs', { json: ['models'] })
    this.#cases = new Table(database, 'suite_run_cases', { json: ['cases'] })
  }

  list({ server }: { server: string | undefined }, limit: number, cursor?: string): Page<SuiteRun> {
    return this.table.page({ filters: { server }, limit, cursor })
  }

  cases(id: string): SuiteRunCase[] {
    return this.#cases.find('WHERE run_id = ?', [id])?.cases ?? []
  }

  /** Called in a transaction. */
  add(run: SuiteRun, cases: SuiteRunCase[]): void {
    this.create(run)
    this.#cases.insert({ runId: run.id, cases })
  }

  /** Keeps the newest runs of the server, and of all servers. */
  trim(server: string, kept: { ofServer: number; ofAll: number }): void {
    const newest = 'ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET'
    this.table.remove(`id IN (SELECT id FROM suite_runs WHERE server = ? ${newest} ?)`, [
      server,
      kept.ofServer,
    ])
    this.table.remove(`id IN (SELECT id FROM suite_runs ${newest} ?)`, [kept.ofAll])
  }
}
