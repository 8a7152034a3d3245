import type { NewSuiteRun, SuiteRunCase } from '../contract/testing/suite-runs.ts'
import type { Suite } from '../definitions/test-suite.ts'
import { type CaseOutcome, concludeSuite, type SuiteOutcome } from './outcome.ts'
import { planSuite } from './plan.ts'
import { type CasesRun, runCases } from './run-cases.ts'
import { SuiteRecorder, type SuiteTarget } from './suite-recorder.ts'

export interface SuiteRun extends Omit<CasesRun, 'mcpId' | 'cases' | 'onCase' | 'onRun'> {
  suite: Suite
  target: SuiteTarget
  /** `record`: the case as it is stored. */
  onCase(outcome: CaseOutcome, record: SuiteRunCase): void
}

/**
 * Runs a suite and judges it: the outcome, and its record for POST /api/suite-runs. Failures of a run are part of the outcome.
 * Throws when interrupted.
 */
export async function judgeSuite(run: SuiteRun): Promise<{ outcome: SuiteOutcome; record: NewSuiteRun }> {
  const { suite, target, recording } = run
  const cases = planSuite(suite)
  const startedMs = performance.now()
  const recorder = new SuiteRecorder()
  const outcomes = await runCases({
    ...run,
    mcpId: target.mcpId,
    cases: recording ? cases.map(one => recording.withModel(one)) : cases,
    onRun: (outcome, exchanges) => recorder.keep(outcome, exchanges),
    onCase: outcome => run.onCase(outcome, recorder.caseRecord(outcome)),
  })
  const outcome = concludeSuite(
    {
      name: suite.name ?? null,
      server: target.name,
      threshold: suite.pass ?? 1,
      seconds: Math.round(performance.now() - startedMs) / 1000,
    },
    outcomes,
  )
  return { outcome, record: recorder.record(target, suite, outcome) }
}
