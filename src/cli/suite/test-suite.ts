import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { ModelKeyList } from '../../shared/contract/access/model-keys.ts'
import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import type { Suite } from '../../shared/definitions/test-suite.ts'
import { embeddedModelWarning } from '../../shared/embedded-model.ts'
import { judgeSuite } from '../../shared/suite/judge-suite.ts'
import type { SuiteOutcome } from '../../shared/suite/outcome.ts'
import { type PlannedCase, planSuite } from '../../shared/suite/plan.ts'
import { needsSchemas } from '../../shared/suite/run-cases.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import type { TestTarget } from '../targets/test-target.ts'
import { modelAccess } from '../testing/model-access.ts'
import { sendTest } from '../testing/send-test.ts'
import { planDryRun, printDryRun } from './dry-run.ts'
import { exitCodeOf } from './exit-code.ts'
import { toJUnit } from './junit.ts'
import { loadPrices, pricesPath } from './load-prices.ts'
import { toMarkdown } from './markdown.ts'
import { caseLines, printSummary } from './report.ts'
import { loadSchemaCheck } from './schema-check.ts'
import { storeSuiteRun } from './store-suite-run.ts'
import { openTape } from './tape.ts'

export interface SuiteInput {
  concurrency: number
  record?: string | undefined
  replay?: string | undefined
  junit?: string | undefined
  markdown?: string | undefined
  prices?: string | undefined
  dryRun?: boolean
}

/** Default model, if there is a key for it. */
const DEFAULT_MODEL = 'claude-sonnet-4-5'

/** Other users may read reports. */
const REPORT_MODE = 0o644

/** Runs a suite and prints the results. The exit code is the verdict. */
export async function testSuite(
  context: CommandContext,
  suite: Suite,
  target: TestTarget,
  input: SuiteInput,
): Promise<ExitCode> {
  const { output } = context
  if (input.dryRun) {
    const prices = loadPrices(input.prices, pricesPath(context.paths))
    return printPlan(context, planSuite(suite), target, prices)
  }
  const outcome = await runSuite(context, suite, target, input)
  if (input.junit) writeFileAtomic(input.junit, toJUnit(outcome), REPORT_MODE)
  if (input.markdown) writeFileAtomic(input.markdown, toMarkdown(outcome), REPORT_MODE)
  output.result(outcome, () => printSummary(output, outcome))
  const usesDefault = planSuite(suite).some(({ model }) => model === undefined)
  if (usesDefault && outcome.models[0] === 'embedded')
    output.warnOf({ warnings: [embeddedModelWarning(DEFAULT_MODEL)] })
  return exitCodeOf(outcome)
}

/** Runs a suite, stores the run, and prints each finished case, but no summary. */
export async function runSuite(
  context: CommandContext,
  suite: Suite,
  target: TestTarget,
  input: SuiteInput,
): Promise<SuiteOutcome> {
  const { output, signal } = context
  const cases = planSuite(suite)
  const manyModels = new Set(cases.map(({ model }) => model)).size > 1
  const recording = openTape(input)
  const { outcome, record } = await judgeSuite({
    suite,
    target,
    prices: loadPrices(input.prices, pricesPath(context.paths)),
    // Unused when no expectation has a schema.
    check: needsSchemas(cases) ? await loadSchemaCheck() : () => null,
    concurrency: input.concurrency,
    recording,
    signal,
    send: request => sendTest(context, request),
    onCase: outcome => {
      if (!output.json) for (const line of caseLines(output, outcome, manyModels)) output.line(line)
    },
  })
  recording?.save()
  await storeSuiteRun(context, record)
  return outcome
}

async function printPlan(
  context: CommandContext,
  cases: PlannedCase[],
  target: TestTarget,
  prices: Parameters<typeof planDryRun>[2],
): Promise<ExitCode> {
  const api = await context.api()
  const [build, keys] = await Promise.all([
    api.get<BuildRecord>(`/v1/build/${encodeURIComponent(target.mcpId)}`).catch(returnUndefined),
    api.get<ModelKeyList>('/api/model-keys').catch(returnUndefined),
  ])
  const defaultModel = modelAccess(context)?.anthropic ? DEFAULT_MODEL : (keys?.defaultModel ?? 'default')
  const plan = planDryRun(
    cases,
    { tools: build?.tools, resources: build?.resources, prompts: build?.prompts },
    prices,
    defaultModel,
  )
  context.output.result(plan, () => printDryRun(context.output, plan))
  return plan.problems.length > 0 ? EXIT.failed : EXIT.done
}

/** Fallback for APIs that implement only the contract. */
function returnUndefined(): undefined {
  return undefined
}
