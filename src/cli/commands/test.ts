import type { TestRequest } from '../../shared/contract/testing/test-runs.ts'
import type { Suite } from '../../shared/definitions/test-suite.ts'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { Input } from '../command-line/declaration.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { findProjectFile, loadProject, type Project } from '../project/project.ts'
import { resolveTestTarget, type TestTarget } from '../targets/test-target.ts'
import { sendTest } from '../testing/send-test.ts'
import { RUN_OPTIONS, readNumber, readRunSettings } from '../testing/test-options.ts'
import { printTestResult } from '../testing/test-output.ts'

const SUITE_RUN_ID = /^srun_[a-z\d]+$/

const ARGUMENTS = { message: { doc: 'message for the agent', variadic: true } } as const

const OPTIONS = {
  ...RUN_OPTIONS,
  suite: {
    type: 'string',
    value: 'file',
    doc: 'suite of test cases in YAML or JSON, or the id of a stored run, whose suite runs again',
  },
  case: { type: 'list', value: 'name', doc: 'run only this case of the suite; repeat for several' },
  model: { type: 'list', value: 'model', doc: 'model of the agent; repeat for a matrix' },
  repeat: { type: 'integer', value: 'n', doc: 'runs per case; reports pass@k and pass^k' },
  minSuccessRate: {
    type: 'string',
    value: 'rate',
    doc: 'exit with 1 below this success rate of calls, or of cases of a suite',
  },
  concurrency: { type: 'integer', value: 'n', default: 1, doc: 'number of cases to run concurrently' },
  record: { type: 'string', value: 'file', doc: "record the model's answers" },
  replay: { type: 'string', value: 'file', doc: 'replay recorded answers without a model' },
  junit: { type: 'string', value: 'file', doc: 'write a JUnit report' },
  markdown: { type: 'string', value: 'file', doc: 'write a Markdown summary' },
  prices: {
    type: 'string',
    value: 'file',
    doc: 'price table (default: prices.json next to the configuration)',
  },
  dryRun: { type: 'boolean', doc: 'show what would run and what it would cost, without running anything' },
} as const

export default defineCommand({
  name: 'test',
  description:
    'Send one message, or the cases of a suite, to an agent that uses the server through its URL like any MCP client. Without --server, build and test the project in this folder. Without a message, run its suite ("test" in the project file). The default model is claude-sonnet-4-5 if a key for it is configured, else the embedded model, which needs no network. Exits with 1 if an expectation or the build of the project failed.',
  arguments: ARGUMENTS,
  options: OPTIONS,
  examples: {
    'mcp test "What is the weather in Oslo?"': 'the project in this folder',
    'mcp test "What is the weather in Oslo?" weather': 'a built server',
    'mcp test --server weather "Compare Oslo and Lima" --json': 'the complete result',
    'mcp test --suite tests.yaml --repeat 5 --junit report.xml': 'a suite, for CI',
    'mcp test --suite tests.yaml --model embedded --model gpt-5.2': 'a matrix',
    'mcp test --suite tests.yaml --replay answers.json': 'without a model',
    'mcp test --suite srun_4h7k…': 'the suite of a stored run again',
  },
  async run(context, given): Promise<ExitCode> {
    checkOptions(given)
    const input = { ...given, ...splitMessage(given) }
    const message = input.message.join(' ').trim()
    const project = input.server === undefined ? await findProject(input.project) : undefined
    const suite = await findSuite(context, input, message, project)
    const target = await resolveTestTarget(
      context,
      { ...input, server: input.server ?? suite?.server },
      { loaded: project, isTemporary: true },
    )
    if (typeof target === 'number') return target
    try {
      return await testTarget(context, { input, suite, message, target })
    } finally {
      await target.discard?.()
    }
  },
})

interface TestRun {
  input: TestInput
  suite: Suite | undefined
  message: string
  target: TestTarget
}

async function testTarget(
  context: CommandContext,
  { input, suite, message, target }: TestRun,
): Promise<ExitCode> {
  if (!suite) return testMessage(context, input, message, target)
  const { testSuite } = await import('../suite/test-suite.ts')
  const { overrideSuite } = await import('../../shared/suite/overrides.ts')
  const overridden = overrideSuite(suite, {
    cases: input.case,
    models: input.model,
    repeat: input.repeat,
    pass: readNumber('--min-success-rate', input.minSuccessRate),
    settings: readRunSettings(input),
  })
  return testSuite(context, overridden, target, input)
}

type TestInput = Input<typeof ARGUMENTS, typeof OPTIONS>

function checkOptions({ repeat, concurrency, record, replay, suite, message }: TestInput): void {
  const refuse = (text: string) => {
    throw new HostingError('INVALID_REQUEST', text)
  }
  if (repeat !== undefined && repeat < 1) refuse(`--repeat is ${repeat}, expected at least 1.`)
  if (concurrency < 1) refuse(`--concurrency is ${concurrency}, expected at least 1.`)
  if (record !== undefined && replay !== undefined) refuse('--record and --replay cannot be combined.')
  if (suite !== undefined && message.length > 0) refuse('A message and --suite cannot be combined.')
}

/** `mcp test "What is …?" weather`: a single word after a quoted message names the server. */
function splitMessage({ message, server }: TestInput): Pick<TestInput, 'message' | 'server'> {
  const [sentence, word, ...more] = message
  const isPair = word !== undefined && more.length === 0 && /\s/.test(sentence!) && /^[\w-]+$/.test(word)
  return server === undefined && isPair ? { message: [sentence!], server: word } : { message, server }
}

/** Project at the path. Undefined when this folder, the default, has none, because the suite may name a server. */
async function findProject(path: string): Promise<Project | undefined> {
  return path === '.' && !findProjectFile(path) ? undefined : loadProject(path)
}

/** The suite to run. Undefined for a single message, unless an option such as `--repeat` or `--junit` requires a suite. */
async function findSuite(
  context: CommandContext,
  input: TestInput,
  message: string,
  project: Project | undefined,
): Promise<Suite | undefined> {
  const { loadProjectSuite, loadStoredSuite, loadSuite } = await import('../suite/load-suite.ts')
  if (input.suite !== undefined)
    return SUITE_RUN_ID.test(input.suite)
      ? loadStoredSuite(await context.api(), input.suite)
      : loadSuite(input.suite)
  if (message !== '') return isPlain(input) ? undefined : { cases: [{ message }] }
  const suite = await loadProjectSuite(project)
  if (suite) return suite
  throw new HostingError('INVALID_REQUEST', 'Nothing to test. Give a message or --suite.', {
    next: [{ description: 'Send a message', command: 'mcp test "…"' }],
  })
}

function isPlain({ case: cases, model, repeat, junit, markdown, dryRun }: TestInput): boolean {
  return cases.length === 0 && model.length < 2 && !repeat && !junit && !markdown && !dryRun
}

async function testMessage(
  context: CommandContext,
  input: TestInput,
  message: string,
  target: TestTarget,
): Promise<ExitCode> {
  const { output } = context
  const threshold = readNumber('--min-success-rate', input.minSuccessRate)
  const { openTape } = await import('../suite/tape.ts')
  const tape = openTape(input)
  const [asked] = input.model
  const planned = { name: message, model: asked }
  const model = (tape?.withModel(planned) ?? planned).model
  const request: TestRequest = {
    mcp_id: target.mcpId,
    message,
    ...(model ? { ai_model: model } : {}),
    ...readRunSettings(input),
    ...(tape ? { cassette: tape.cassetteFor(planned, 0) } : {}),
  }
  const { recording, ...result } = await output.progress(`Testing ${target.name}`, () =>
    sendTest(context, request),
  )
  tape?.keep(planned, 0, { ...result, recording })
  tape?.save()
  output.result(result, () => printTestResult(output, result))
  output.warnOf(result)
  return threshold !== undefined && result.success_rate < threshold ? EXIT.failed : EXIT.done
}
