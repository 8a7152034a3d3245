import type { SuiteRunRecord, SuiteRunSummary } from '../../../shared/contract/testing/suite-runs.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import { type Page, Table } from '../table.ts'

export type SuiteRun = SuiteRunSummary

/** Content that lists omit. */
type Content = Pick<SuiteRunRecord, 'definition' | 'cases'>

/** Runs of test suites with the suites and the cases. Removing a run removes its cases. */
export class SuiteRunStore extends RecordStore<SuiteRun> {
  readonly #contents: Table<{ runId: string } & Content>

  constructor(database: Database) {
    super(database, 'suite_runs', { json: ['models'] })
    this.#contents = new Table(database, 'suite_run_cases', { json: ['definition', 'cases'] })
  }

  list({ server }: { server: string | undefined }, limit: number, cursor?: string): Page<SuiteRun> {
    return this.table.page({ filters: { server }, limit, cursor })
  }

  content(id: string): Content {
    const { definition = null, cases = [] } = this.#contents.find('WHERE run_id = ?', [id]) ?? {}
    return { definition, cases }
  }

  /** Called in a transaction. */
  add(run: SuiteRun, content: Content): void {
    this.create(run)
    this.#contents.insert({ runId: run.id, ...content })
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
