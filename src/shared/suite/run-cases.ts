import type { TestResult } from '../contract/testing/test-results.ts'
import type { TestRequest } from '../contract/testing/test-runs.ts'
import type { Expectation } from '../definitions/test-suite.ts'
import { HostingError } from '../errors.ts'
import { judge, type Verdict } from './judge.ts'
import type { SchemaCheck } from './judge-calls.ts'
import { observe } from './observed.ts'
import { type CaseOutcome, concludeCase, type RunOutcome } from './outcome.ts'
import type { PlannedCase } from './plan.ts'
import { costOf, type PriceTable } from './prices.ts'
import type { Recording } from './recording.ts'
import type { Exchange } from './suite-recorder.ts'

export interface CasesRun {
  mcpId: string
  cases: PlannedCase[]
  prices: PriceTable
  check: SchemaCheck
  /** Number of cases that run concurrently. */
  concurrency: number
  /** Recording of model answers, if used. */
  recording?: Recording | undefined
  signal: AbortSignal
  send(request: TestRequest): Promise<TestResult>
  onCase(outcome: CaseOutcome): void
  /** `exchanges`: messages of the run in order. */
  onRun(outcome: RunOutcome, exchanges: readonly Exchange[]): void
}

/** Runs every case as often as planned. A failed request is part of its run's outcome. Throws when interrupted. */
export async function runCases(run: CasesRun): Promise<CaseOutcome[]> {
  const outcomes: CaseOutcome[] = []
  const waiting = run.cases.entries()
  const worker = async () => {
    for (const [index, planned] of waiting) {
      const outcome = await runCase(run, planned)
      outcomes[index] = outcome
      run.onCase(outcome)
    }
  }
  await Promise.all(Array.from({ length: run.concurrency }, worker))
  return outcomes
}

async function runCase(run: CasesRun, planned: PlannedCase): Promise<CaseOutcome> {
  const runs: RunOutcome[] = []
  for (let number = 0; number < planned.repeat; number++) {
    const exchanges: Exchange[] = []
    const outcome = await runOnce(run, planned, number, exchanges)
    run.onRun(outcome, exchanges)
    runs.push(outcome)
  }
  return concludeCase(planned.name, planned.model ?? 'default', planned.threshold, runs)
}

/** Adds each message to `exchanges`, and its result when it arrives. */
async function runOnce(
  run: CasesRun,
  planned: PlannedCase,
  number: number,
  exchanges: Exchange[],
): Promise<RunOutcome> {
  const results: TestResult[] = []
  const verdicts: Verdict[] = []
  try {
    for (const { message, expect } of planned.messages) {
      const exchange: Exchange = { message, result: undefined }
      exchanges.push(exchange)
      const result = await run.send(requestFor(run, planned, message, number, results.at(-1)))
      run.recording?.keep(planned, number, result)
      exchange.result = result
      results.push(result)
      if (expect) verdicts.push(judge(expect, observe([result]), run.check))
    }
  } catch (error) {
    run.signal.throwIfAborted()
    return { ...describe(run, results), ...outcomeOfError(error) }
  }
  if (planned.expect || verdicts.length === 0)
    verdicts.push(judge(planned.expect, observe(results), run.check))
  return { ...describe(run, results), ...concludeRun(verdicts) }
}

function requestFor(
  { mcpId, recording }: CasesRun,
  planned: PlannedCase,
  message: string,
  number: number,
  before: TestResult | undefined,
): TestRequest {
  if (planned.messages.length > 1 && before && !before.chat_id)
    throw new HostingError('METHOD_NOT_ALLOWED', 'This API keeps no chats. A case can have only one message.')
  return {
    ...planned.request,
    mcp_id: mcpId,
    message,
    ...(planned.model === undefined ? {} : { ai_model: planned.model }),
    ...(before?.chat_id ? { chat_id: before.chat_id } : {}),
    ...(recording ? { cassette: recording.cassetteFor(planned, number) } : {}),
  }
}

function concludeRun(verdicts: Verdict[]): Pick<RunOutcome, 'status' | 'failures' | 'error'> {
  const failures = verdicts.flatMap(verdict => verdict.failures)
  const unknown = [...new Set(verdicts.flatMap(verdict => verdict.unknown))]
  if (failures.length > 0) return { status: 'failed', failures, error: null }
  if (unknown.length === 0) return { status: 'passed', failures, error: null }
  const message = `This API does not report: ${unknown.join(', ')}.`
  return { status: 'error', failures, error: { code: 'METHOD_NOT_ALLOWED', message, details: '' } }
}

/** Outcome of a failed run. A request missing from the recording is a failure, because the server or the suite has changed. */
function outcomeOfError(error: unknown): Pick<RunOutcome, 'status' | 'failures' | 'error'> {
  if (!(error instanceof HostingError)) throw error
  if (error.code === 'NOT_RECORDED') return { status: 'failed', failures: [error.message], error: null }
  return { status: 'error', failures: [], error: error.toBody() }
}

function describe(
  { prices, recording }: CasesRun,
  results: TestResult[],
): Omit<RunOutcome, 'status' | 'failures' | 'error'> {
  const last = results.at(-1)
  const usage = addUsage(results)
  return {
    model: last?.model ?? null,
    reply: last?.ai_response ?? '',
    tools_used: [...new Set(results.flatMap(({ tools_used }) => tools_used))],
    resources_accessed: [...new Set(results.flatMap(({ resources_accessed }) => resources_accessed))],
    success_rate: last?.success_rate ?? 0,
    seconds: results.reduce((sum, { execution_time }) => sum + execution_time, 0),
    usage,
    cost: costOf(prices, last?.model, usage ?? undefined) ?? null,
    chat_id: last?.chat_id ?? null,
    replay: recording?.replay ?? null,
  }
}

function addUsage(results: TestResult[]): RunOutcome['usage'] {
  const reported = results.map(({ usage }) => usage).filter(usage => usage !== undefined)
  if (reported.length === 0) return null
  const sum = (of: (usage: (typeof reported)[number]) => number) =>
    reported.reduce((total, usage) => total + of(usage), 0)
  return {
    input_tokens: sum(usage => usage.input_tokens),
    output_tokens: sum(usage => usage.output_tokens),
    total_tokens: sum(usage => usage.total_tokens),
    cached_input_tokens: sum(usage => usage.cached_input_tokens),
    requests: sum(usage => usage.requests),
  }
}

/** True when an expectation has a JSON Schema. */
export function needsSchemas(cases: readonly PlannedCase[]): boolean {
  const has = (expect: Expectation | undefined) =>
    expect?.calls?.some(({ schema }) => schema !== undefined) ?? false
  return cases.some(one => has(one.expect) || one.messages.some(({ expect }) => has(expect)))
}
