import type { TestResult } from '../contract/testing/test-results.ts'
import type { Cassette } from '../contract/testing/test-runs.ts'
import type { PlannedCase } from './plan.ts'

/** Model answers that are recorded or replayed, by case and repetition (from 0). */
export interface Recording {
  /** Uses the recorded model if the case names none. */
  withModel<T extends Pick<PlannedCase, 'name' | 'model'>>(planned: T): T
  cassetteFor(planned: Pick<PlannedCase, 'name'>, run: number): Cassette
  /** Records the answers of a run. */
  keep(planned: Pick<PlannedCase, 'name'>, run: number, result: TestResult): void
  /** Null while recording. `recorded_at`: null for a recording without a time. */
  readonly replay: { recorded_at: string | null } | null
}
