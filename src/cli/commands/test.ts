import { dirname, resolve } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import type { TestRequest } from '../../shared/test-runs.ts'
import type { Suite } from '../../shared/test-suite.ts'
import { defineCommand, type Input } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { findProjectFile, loadProject, type Project } from '../project.ts'
import { sendTest } from '../send-test.ts'
import { RUN_OPTIONS, readNumber, readRunSettings } from '../test-options.ts'
import { printTestResult } from '../test-output.ts'
import { resolveTestTarget } from '../test-target.ts'

const ARGUMENTS = { message: { doc: 'message for the agent', variadic: true } } as const

const OPTIONS = {
  ...RUN_OPTIONS,
  suite: { type: 'string', value: 'file', doc: 'cases with expectations, in YAML or JSON' },
  model: { type: 'list', value: 'model', doc: 'model of the agent; several make a matrix' },
  repeat: { type: 'integer', value: 'n', doc: 'runs of each case; tells pass@k and pass^k' },
  minSuccessRate: {
    type: 'string',
    value: 'rate',
    doc: 'end with 1 below it: of calls, or of the cases of a suite',
  },
  concurrency: { type: 'integer', value: 'n', default: 1, doc: 'cases that run at once' },
  record: { type: 'string', value: 'file', doc: "write the model's answers down" },
  replay: { type: 'string', value: 'file', doc: 'take the answers from there and ask no model' },
  junit: { type: 'string', value: 'file', doc: 'write a JUnit report' },
  markdown: { type: 'string', value: 'file', doc: 'write a Markdown summary' },
  prices: {
    type: 'string',
    value: 'file',
    doc: 'price table (default: prices.json beside the configuration)',
  },
  dryRun: { type: 'boolean', doc: 'tell what would run and what it would cost, and send nothing' },
} as const

export default defineCommand({
  name: 'test',
  summary: 'let an agent use the server, and judge what it does',
  description:
    'Sends one message, or the cases of a suite, to an agent that uses the server through its URL, as any MCP client does. Without --server the project in this folder is built and tested; without a message its own suite ("test" in the project file). The model is claude-sonnet-4-5 when a key for it is configured, else the embedded one, which needs no network. A failed expectation ends with 1, a fault of anything else never does.',
  arguments: ARGUMENTS,
  options: OPTIONS,
  examples: [
    { command: 'mcp test "What is the weather in Oslo?"', does: 'the project in this folder' },
    { command: 'mcp test "What is the weather in Oslo?" weather', does: 'a server that is built' },
    { command: 'mcp test --server weather "Compare Oslo and Lima" --json', does: 'the whole result' },
    { command: 'mcp test --suite tests.yaml --repeat 5 --junit report.xml', does: 'a suite, for CI' },
    { command: 'mcp test --suite tests.yaml --model embedded --model gpt-5.2', does: 'a matrix' },
    { command: 'mcp test --suite tests.yaml --replay answers.json', does: 'without asking any model' },
  ],
  async run(context, given): Promise<ExitCode> {
    checkOptions(given)
    const input = { ...given, ...splitMessage(given) }
    const message = input.message.join(' ').trim()
    const project = input.server === undefined ? await findProject(input.project) : undefined
    const suite = await findSuite(input, message, project)
    const target = await resolveTestTarget(
      context,
      { ...input, server: input.server ?? suite?.server },
      project,
    )
    if (typeof target === 'number') return target
    if (!suite) return testMessage(context, input, message, target)
    const { testSuite } = await import('../suite/test-suite.ts')
    return testSuite(context, suite, target, {
      ...input,
      models: input.model,
      settings: readRunSettings(input),
      threshold: readNumber('--min-success-rate', input.minSuccessRate),
    })
  },
})

type TestInput = Input<typeof ARGUMENTS, typeof OPTIONS>

function checkOptions({ repeat, concurrency, record, replay, suite, message }: TestInput): void {
  const refuse = (text: string) => {
    throw new HostingError('INVALID_REQUEST', text)
  }
  if (repeat !== undefined && repeat < 1) refuse(`--repeat is ${repeat}, expected 1 or more.`)
  if (concurrency < 1) refuse(`--concurrency is ${concurrency}, expected 1 or more.`)
  if (record !== undefined && replay !== undefined) refuse('--record and --replay exclude each other.')
  if (suite !== undefined && message.length > 0) refuse('A message and --suite exclude each other.')
}

/** `mcp test "What is …?" weather`: after a quoted message a single word names the server. */
function splitMessage({ message, server }: TestInput): Pick<TestInput, 'message' | 'server'> {
  const [sentence, word, ...more] = message
  const isPair = word !== undefined && more.length === 0 && /\s/.test(sentence!) && /^[\w-]+$/.test(word)
  return server === undefined && isPair ? { message: [sentence!], server: word } : { message, server }
}

/** The project of the folder; without one `--server` or the suite must name a server. */
async function findProject(path: string): Promise<Project | undefined> {
  return path === '.' && !findProjectFile(path) ? undefined : loadProject(path)
}

/** What is to be run when it is more than one message to one model: a suite, or what makes one of a message. */
async function findSuite(
  input: TestInput,
  message: string,
  project: Project | undefined,
): Promise<Suite | undefined> {
  const { loadSuite, parseSuite } = await import('../suite/load-suite.ts')
  if (input.suite !== undefined) return loadSuite(input.suite)
  if (message !== '') return isPlain(input) ? undefined : { cases: [{ message }] }
  const { test, file = '' } = project ?? {}
  if (typeof test === 'string') return loadSuite(resolve(project!.directory || dirname(file), test))
  if (test) return parseSuite(test, `"test" of ${file}`)
  throw new HostingError('INVALID_REQUEST', 'There is nothing to test with: give a message or --suite.', {
    next: [{ description: 'Send a message', command: 'mcp test "…"' }],
  })
}

function isPlain({ model, repeat, junit, markdown, dryRun }: TestInput): boolean {
  return model.length < 2 && !repeat && !junit && !markdown && !dryRun
}

async function testMessage(
  context: CommandContext,
  input: TestInput,
  message: string,
  target: { mcpId: string; name: string },
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
