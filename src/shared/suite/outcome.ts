import type { Usage } from '../contract/testing/test-results.ts'
import type { ErrorBody } from '../errors.ts'
import { kValues, passAll, passAt } from './statistics.ts'

/** `error`: a fault, such as a network failure, prevented a verdict. */
export type Status = 'passed' | 'failed' | 'error'

export interface RunOutcome {
  status: Status
  /** One sentence per failed expectation. */
  failures: string[]
  error: ErrorBody | null
  /** Model that answered. */
  model: string | null
  reply: string
  tools_used: string[]
  resources_accessed: string[]
  success_rate: number
  seconds: number
  usage: Usage | null
  /** US dollars. Null for a model without a price. */
  cost: number | null
  chat_id: string | null
  /** The recording whose answers were used instead of a model's. */
  replay: { recorded_at: string | null } | null
}

export interface CaseOutcome {
  name: string
  model: string
  status: Status
  /** Share of judged runs that passed. */
  pass_rate: number
  threshold: number
  /** k → probability that at least one of k runs passes, and that all of them pass. */
  pass_at: Record<string, number>
  pass_all: Record<string, number>
  runs: RunOutcome[]
}

export interface SuiteOutcome {
  name: string | null
  server: string
  models: string[]
  cases: CaseOutcome[]
  passed: number
  failed: number
  errors: number
  /** Share of judged cases that passed. */
  success_rate: number
  threshold: number
  status: Status
  seconds: number
  usage: { input_tokens: number; output_tokens: number; total_tokens: number }
  cost: number | null
}

/**
 * Outcome of a case, which passes when enough of its runs pass. The status is `error` if the verdict depends on runs without a
 * verdict.
 */
export function concludeCase(
  name: string,
  model: string,
  threshold: number,
  runs: RunOutcome[],
): CaseOutcome {
  const count = (status: Status) => runs.filter(run => run.status === status).length
  const [passed, errors] = [count('passed'), count('error')]
  const judged = runs.length - errors
  const ks = judged > 0 ? kValues(judged) : []
  return {
    name,
    model: runs.find(run => run.model !== null)?.model ?? model,
    status: conclude(passed, errors, runs.length, threshold),
    pass_rate: judged === 0 ? 0 : passed / judged,
    threshold,
    pass_at: Object.fromEntries(ks.map(k => [k, passAt(k, judged, passed)])),
    pass_all: Object.fromEntries(ks.map(k => [k, passAll(k, judged, passed)])),
    runs,
  }
}

export function concludeSuite(
  suite: { name: string | null; server: string; threshold: number; seconds: number },
  cases: CaseOutcome[],
): SuiteOutcome {
  const count = (status: Status) => cases.filter(one => one.status === status).length
  const [passed, failed, errors] = [count('passed'), count('failed'), count('error')]
  const runs = cases.flatMap(one => one.runs)
  const sum = (of: (run: RunOutcome) => number | undefined) =>
    runs.reduce((total, run) => total + (of(run) ?? 0), 0)
  return {
    ...suite,
    models: [...new Set(cases.map(({ model }) => model))],
    cases,
    passed,
    failed,
    errors,
    success_rate: passed + failed === 0 ? 0 : passed / (passed + failed),
    status: conclude(passed, errors, cases.length, suite.threshold),
    usage: {
      input_tokens: sum(run => run.usage?.input_tokens),
      output_tokens: sum(run => run.usage?.output_tokens),
      total_tokens: sum(run => run.usage?.total_tokens),
    },
    cost: runs.some(run => run.cost !== null) ? sum(run => run.cost ?? 0) : null,
  }
}

/** `failed` or `passed` only if errors could not change the result. */
function conclude(passed: number, errors: number, all: number, threshold: number): Status {
  const reaches = (number: number) => number / all >= threshold - Number.EPSILON
  if (reaches(passed)) return 'passed'
  return reaches(passed + errors) ? 'error' : 'failed'
}
