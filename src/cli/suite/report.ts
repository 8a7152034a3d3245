import { formatDurationMs } from '../../shared/duration.ts'
import type { CaseOutcome, RunOutcome, Status, SuiteOutcome } from '../../shared/suite/outcome.ts'
import type { Output } from '../output/output.ts'

const SHOWN_FAILURES = 5

/** Line of a finished case, followed by its first failures. */
export function caseLines({ style }: Output, outcome: CaseOutcome, showModel: boolean): string[] {
  const { name, model, runs, status } = outcome
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0)
  const passed = runs.filter(run => run.status === 'passed').length
  const rate = runs.length > 1 ? ` ${passed}/${runs.length}` : ''
  const facts = [showModel ? model : undefined, formatDurationMs(seconds * 1000)].filter(Boolean).join(', ')
  const sign = { passed: style.green('✓'), failed: style.red('✗'), error: style.yellow('!') }[status]
  const notes = status === 'passed' ? [] : notesOf(runs).slice(0, SHOWN_FAILURES)
  return [`${sign} ${name}${rate} ${style.dim(`(${facts})`)}`, ...notes.map(note => `    ${note}`)]
}

/** Unique sentences with the number of runs they apply to. */
export function notesOf(runs: readonly RunOutcome[]): string[] {
  const counts = new Map<string, number>()
  for (const { failures, error } of runs)
    for (const text of [...failures, ...(error ? [error.message] : [])])
      counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].map(([text, count]) =>
    runs.length > 1 ? `${text} (${count} of ${runs.length} runs)` : text,
  )
}

export function printSummary(output: Output, suite: SuiteOutcome): void {
  output.line()
  if (suite.models.length > 1) printMatrix(output, suite)
  const repeated = suite.cases.filter(({ runs }) => runs.length > 1)
  if (repeated.length > 0)
    output.table(['CASE', 'MODEL', 'PASSED', 'PASS@K', 'PASS^K'], repeated.map(repeatRow))
  const { green, red, yellow } = output.style
  const paint = { passed: green, failed: red, error: yellow }[suite.status]
  output.line(paint(summaryText(suite)))
}

/** `3 of 4 cases passed, 1 failed · embedded · 0.2 s · 812 tokens · $0.0021` */
export function summaryText({
  cases,
  passed,
  failed,
  errors,
  models,
  seconds,
  usage,
  cost,
}: SuiteOutcome): string {
  return [
    `${passed} of ${cases.length} ${cases.length === 1 ? 'case' : 'cases'} passed${failed ? `, ${failed} failed` : ''}${errors ? `, ${errors} could not be judged` : ''}`,
    models.join(', '),
    formatDurationMs(seconds * 1000),
    usage.total_tokens > 0 ? `${usage.total_tokens} tokens` : undefined,
    cost ? formatCost(cost) : undefined,
  ]
    .filter(Boolean)
    .join(' · ')
}

export function formatCost(dollars: number): string {
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`
}

/** One row per case, one column per model, and a last row that counts the passed cases. */
export function matrixOf({ cases, models }: SuiteOutcome): { headers: string[]; rows: string[][] } {
  const names = [...new Set(cases.map(({ name }) => name))]
  const cell = (name: string, model: string) => {
    const found = cases.find(one => one.name === name && one.model === model)
    return found ? cellText(found) : ''
  }
  const rates = models.map(model => {
    const ofModel = cases.filter(one => one.model === model)
    return `${ofModel.filter(({ status }) => status === 'passed').length}/${ofModel.length}`
  })
  return {
    headers: ['CASE', ...models],
    rows: [...names.map(name => [name, ...models.map(model => cell(name, model))]), ['passed', ...rates]],
  }
}

const WORD: Record<Status, string> = { passed: 'passed', failed: 'failed', error: 'error' }

function cellText({ status, runs }: CaseOutcome): string {
  if (runs.length === 1) return WORD[status]
  return `${WORD[status]} ${runs.filter(run => run.status === 'passed').length}/${runs.length}`
}

function printMatrix(output: Output, suite: SuiteOutcome): void {
  const { headers, rows } = matrixOf(suite)
  output.table(headers, rows)
  output.line()
}

function repeatRow({ name, model, runs, pass_at, pass_all }: CaseOutcome): string[] {
  const passed = runs.filter(run => run.status === 'passed').length
  return [name, model, `${passed}/${runs.length}`, formatByK(pass_at), formatByK(pass_all)]
}

/** `1: 67%, 3: 100%` */
export function formatByK(rates: Record<string, number>): string {
  return Object.entries(rates)
    .map(([k, rate]) => `${k}: ${Math.round(rate * 100)}%`)
    .join(', ')
}
