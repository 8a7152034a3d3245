import type { SuiteRunCase, SuiteRunSummary } from '../../../../shared/contract/testing/suite-runs.ts'

export function totalOf({ passed, failed, errors }: SuiteRunSummary): number {
  return passed + failed + errors
}

/** `$0.0042`, `$1.30`, or a dash for models without a price. */
export function formatCost(cost: number | null): string {
  if (cost === null) return '–'
  return `$${cost.toFixed(cost !== 0 && cost < 0.1 ? 4 : 2)}`
}

/** A case with the results of each model. */
export interface CaseGroup {
  name: string
  status: SuiteRunCase['status']
  cases: readonly SuiteRunCase[]
}

const SEVERITY: readonly SuiteRunCase['status'][] = ['failed', 'error', 'passed']

/** Groups cases by name. Cases that did not pass come first. A case has the status of its worst model. */
export function groupCases(cases: readonly SuiteRunCase[]): CaseGroup[] {
  const groups = [...Map.groupBy(cases, ({ name }) => name)].map(([name, own]) => ({
    name,
    status: own.map(({ status }) => status).toSorted(bySeverity)[0]!,
    cases: own,
  }))
  return groups.toSorted((a, b) => bySeverity(a.status, b.status))
}

function bySeverity(a: SuiteRunCase['status'], b: SuiteRunCase['status']): number {
  return SEVERITY.indexOf(a) - SEVERITY.indexOf(b)
}
