import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { ChatMessageRecord } from '../../../src/shared/contract/testing/chats.ts'
import type { SuiteRunSummary } from '../../../src/shared/contract/testing/suite-runs.ts'
import type { TestResult } from '../../../src/shared/contract/testing/test-results.ts'
import type { SuiteOutcome } from '../../../src/shared/suite/outcome.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'
import { type ModelStub, startModelStub } from '../../helpers/services/model-stub.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const example = (name: string) => join(root, 'examples', name)
const EVERYTHING = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')

let home: TestHome
let stub: ModelStub | undefined
beforeAll(async () => {
  home = createHome()
  await home.json(['build', example('weather')])
  await home.json(['build', example('conformance')])
  await home.json(['build', '--name', 'everything', '--command', `${process.execPath} ${EVERYTHING} stdio`])
}, 60_000)
afterAll(() => home.remove())
afterEach(() => stub?.close())

function suiteFile(name: string, suite: unknown): string {
  const path = join(home.dir, name)
  writeFileSync(path, JSON.stringify(suite))
  return path
}

test('without a model key, the embedded model answers, and the output says so', async () => {
  const ended = await home.mcp(['test', '--project', example('weather'), 'call current_weather for Oslo'])
  expect(ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('✓ current_weather {"city":"Oslo"}'),
  })
  expect(ended.stderr).toContain('The embedded model was used')
})

test('the argument after a message names the server, and plain questions call its tools', async () => {
  const ended = await home.mcp(['test', 'What is the weather in Oslo?', 'weather'])
  expect(ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('✓ current_weather {"city":"Oslo"}'),
  })
  expect(ended.stdout).not.toContain('✓ read')
  const unknown = await home.mcp(['test', 'What is the weather in Oslo?', 'wether'])
  expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining('wether') })
})

test('long JSON in a reply is wrapped', async () => {
  const { stdout } = await home.mcp(['test', 'Read weather://Oslo', 'weather'])
  expect(stdout).toContain('"country": "Norway"')
  expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(100)
  expect(stdout).toContain('1 read')
})

test('the result of mcp test has the documented fields and is stored as a chat', async () => {
  const result = await home.json<TestResult>([
    'test',
    '--server',
    'weather',
    'call current_weather for Oslo and for Lima',
  ])
  expect(result).toMatchObject({
    tools_used: ['current_weather'],
    resources_accessed: [],
    success_rate: 1,
    model: 'embedded',
  })
  expect(result.ai_response).toContain('Oslo')
  expect(result.execution_time).toBeGreaterThan(0)
  expect(result.tool_calls).toHaveLength(2)
  const messages = await home.json<ChatMessageRecord[]>(['chats', 'show', result.chat_id!])
  expect(messages[0]).toMatchObject({ role: 'user', text: 'call current_weather for Oslo and for Lima' })
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', text: result.ai_response })
})

test('mcp test runs the suite of the project and stores the run', async () => {
  const suite = await home.json<SuiteOutcome>(['test', '--project', example('weather')])
  expect(suite).toMatchObject({ status: 'passed', failed: 0, models: ['embedded'] })
  expect(suite.cases.length).toBeGreaterThan(2)
  const [stored] = await home.json<SuiteRunSummary[]>(['tests', 'list', 'weather'])
  expect(stored).toMatchObject({ server: 'weather', status: 'passed', passed: suite.passed, author: 'owner' })
  const { stdout } = await home.mcp(['tests', 'show', stored!.id, '--transcripts'])
  expect(stdout).toContain(`✓ ${suite.cases[0]!.name}`)
  expect(stdout).toMatch(/ {4}tool|assistant: /)
  expect((await home.mcp(['tests', 'list'])).stdout).toMatch(/ID +SERVER +SUITE +MODELS +RESULT +CASES/)
  await home.mcp(['tests', 'remove', stored!.id, '--yes'])
  expect(await home.json(['tests', 'list'])).toEqual([])
})

test('a suite warns about the embedded model only if that model replaced the default', async () => {
  const cases = [{ message: 'What is the weather in Oslo?', expect: { tools: ['current_weather'] } }]
  const fallback = suiteFile('fallback.json', { server: 'weather', cases })
  expect((await home.mcp(['test', '--suite', fallback])).stderr).toContain('The embedded model was used')
  for (const models of ['embedded', ['embedded']]) {
    const named = suiteFile('named.json', { server: 'weather', models, cases })
    expect(await home.mcp(['test', '--suite', named])).toMatchObject({ code: 0, stderr: '' })
  }
})

test('the suite of a stored run can be run again, whole or by case, with the options of the first run', async () => {
  const file = suiteFile('again.json', {
    name: 'again',
    server: 'weather',
    cases: [
      { message: 'What is the weather in Oslo?', expect: { tools: ['compare_cities'] } },
      { name: 'reads', message: 'Read weather://Oslo', expect: { resources: ['weather://Oslo'] } },
    ],
  })
  expect((await home.mcp(['test', '--suite', file, '--repeat', '2'])).code).toBe(1)
  const [first] = await home.json<SuiteRunSummary[]>(['tests', 'list', 'weather'])
  const shown = await home.mcp(['tests', 'show', first!.id])
  expect(shown.stdout).toContain(`mcp test --suite ${first!.id}`)
  const again = await home.mcp(['test', '--suite', first!.id, '--json'])
  expect(again.code).toBe(1)
  const whole: SuiteOutcome = JSON.parse(again.stdout)
  expect(whole).toMatchObject({ name: 'again', passed: 1, failed: 1 })
  const [, reads] = whole.cases
  expect([reads!.name, reads!.runs.length]).toEqual(['reads', 2])
  const one = await home.json<SuiteOutcome>(['test', '--suite', first!.id, '--case', 'reads'])
  expect(one.cases.map(({ name, status }) => [name, status])).toEqual([['reads', 'passed']])
  const unknown = await home.mcp(['test', '--suite', first!.id, '--case', 'other'])
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no case "other"') })
})

test('mcp test calls the tools of handler modules and of third-party programs', async () => {
  const module = await home.json<TestResult>(['test', '--server', 'conformance', 'call test_simple_text'])
  expect(module).toMatchObject({ tools_used: ['test_simple_text'], success_rate: 1 })
  const program = await home.json<TestResult>([
    'test',
    '--server',
    'everything',
    'What is the sum of 3 and 4?',
  ])
  expect(program).toMatchObject({
    tools_used: ['get-sum'],
    success_rate: 1,
    ai_response: expect.stringContaining('7'),
  })
})

test.each([
  [
    'conformance',
    'test_elicitation',
    { message: 'Who are you?' },
    'test_sampling',
    { prompt: 'Say something' },
    'ada',
  ],
  [
    'everything',
    'trigger-elicitation-request',
    {},
    'trigger-sampling-request',
    { prompt: 'Say something' },
    'ada',
  ],
])(
  'questions from %s get the answers from the suite, and are declined if it has none',
  async (server, elicits, question, samples, prompt, name) => {
    const calls = [
      { name: elicits, arguments: question },
      { name: samples, arguments: prompt },
    ]
    stub = await startModelStub('compatible', [{ calls }, { text: 'done' }, { calls }, { text: 'done' }])
    const answers = {
      elicitation: [{ content: { username: name, email: 'ada@example.com', name } }],
      sampling: [{ contains: 'say something', text: 'sampled words' }],
    }
    const expect_ = { calls: [{ tool: samples, arguments: prompt }] }
    const file = suiteFile('answers.json', {
      server,
      models: `openai:m@${stub.url}`,
      cases: [
        { name: 'answered', message: 'ask me', answers, expect: { ...expect_, errors: 0 } },
        { name: 'declined', message: 'ask me', expect: { ...expect_, errors: { min: 1 } } },
      ],
    })
    const suite = await home.json<SuiteOutcome>(['test', '--suite', file])
    expect(suite.cases.map(({ status }) => status)).toEqual(['passed', 'passed'])
    const bodies = stub.requests.map(({ body }) => JSON.stringify(body))
    expect(bodies[1]).toContain('ada')
    expect(bodies[1]).toContain('sampled words')
    expect(bodies[3]).toMatch(/decline/)
  },
)

test('mcp test exits with 1 for a failed expectation, and with 7 for an error from the model', async () => {
  const wrong = suiteFile('wrong.json', {
    server: 'weather',
    cases: [{ message: 'call current_weather for Oslo', expect: { tools: ['forecast'] } }],
  })
  const failed = await home.mcp([
    'test',
    '--suite',
    wrong,
    '--junit',
    join(home.dir, 'j.xml'),
    '--markdown',
    join(home.dir, 'm.md'),
  ])
  expect(failed).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('tool forecast was not used (used: current_weather)'),
  })
  expect(readFileSync(join(home.dir, 'j.xml'), 'utf8')).toContain(
    '<failure message="tool forecast was not used',
  )
  expect(readFileSync(join(home.dir, 'm.md'), 'utf8')).toContain('0 of 1 case passed, 1 failed')

  stub = await startModelStub('compatible', [{ status: 400 }])
  const fault = await home.mcp(['test', '--suite', wrong, '--model', `openai:m@${stub.url}`])
  expect(fault).toMatchObject({ code: 7, stdout: expect.stringContaining('1 could not be judged') })
})

test('mcp test replays recorded answers without a request, and fails for an unrecorded message', async () => {
  const file = join(home.dir, 'tape.json')
  const asking = ['test', '--server', 'weather', 'How warm is it?']
  stub = await startModelStub('compatible', [
    { calls: [{ name: 'current_weather', arguments: { city: 'Oslo' } }] },
    { text: 'It is cold. My key is sk-abcdefghijklmnop0123.' },
  ])
  const model = `openai:m@${stub.url}`
  const recorded = await home.json<TestResult>([...asking, '--model', model, '--record', file])
  expect(readFileSync(file, 'utf8')).not.toContain('sk-abcdefghijklmnop0123')
  await stub.close()

  const { ai_response, ...played } = await home.json<TestResult>([...asking, '--replay', file])
  expect(ai_response).toBe('It is cold. My key is <secret>.')
  expect(played).toMatchObject({ model, tools_used: recorded.tools_used, turns: 2 })
  const other = await home.mcp(['test', '--server', 'weather', 'How cold is it?', '--replay', file])
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('has no answer to this request') })
  expect(stub.requests).toHaveLength(2)
})

test('a dry run prints what would run and what is missing, and sends nothing', async () => {
  stub = await startModelStub('compatible', [{ text: 'never asked' }])
  const file = suiteFile('plan.json', {
    server: 'weather',
    models: ['claude-sonnet-4-5', 'gpt-5.2'],
    repeat: 3,
    cases: [{ name: 'one', message: 'call current_weather for Oslo', expect: { tools: ['wether'] } }],
  })
  const ended = await home.mcp(['test', '--suite', file, '--dry-run', '--json'])
  expect(ended.code).toBe(1)
  const plan = JSON.parse(ended.stdout)
  expect(plan).toMatchObject({
    messages: 6,
    problems: [expect.stringContaining('unknown tool "wether", known: current_weather')],
  })
  expect(plan.estimated_cost).toBeGreaterThan(0)
  expect(stub.requests).toHaveLength(0)
})

test('a conversation keeps its context and can be saved as a passing case', async () => {
  const file = join(home.dir, 'saved.yaml')
  const lines = [
    'call current_weather for Lima',
    '/tools',
    'and the forecast for Oslo for 2 days',
    `/save ${file}`,
    '/exit',
  ].join('\n')
  const ended = await home.mcp(['chat', 'weather'], { input: `${lines}\n` })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('current_weather {"city":"Lima"}') })
  expect(ended.stdout).toContain('compare_cities')
  expect(ended.stdout).toContain('\n  "city": "Oslo",\n')
  const suite = await home.json<SuiteOutcome>(['test', '--suite', file])
  expect(suite).toMatchObject({ passed: 1, failed: 0, success_rate: 1 })
})

test('a saved model key is used, shown only by its last characters, encrypted at rest, and can be deleted', async () => {
  const key = 'sk-ant-test-0123456789-tail'
  stub = await startModelStub('anthropic', [{ text: 'from the vendor' }])
  await home.json(['models', 'login', 'anthropic', '--key', key, '--base-url', stub.url])
  const models = await home.mcp(['models', 'list'])
  expect(models.stdout).toContain('…tail')
  expect(models.stdout).toContain('Default model: claude-sonnet-4-5.')
  expect(models.stdout).not.toContain(key)
  const result = await home.json<TestResult>(['test', '--server', 'weather', 'hello'])
  expect(result).toMatchObject({ model: 'claude-sonnet-4-5', ai_response: 'from the vendor' })
  expect(stub.requests[0]!.headers['x-api-key']).toBe(key)
  for (const file of ['daemon.db', 'daemon.db-wal', 'logs/daemon.log'])
    expect(readFileSync(join(home.dir, file)).includes(key), file).toBe(false)
  await home.json(['models', 'logout', 'anthropic'])
  expect(await home.json(['models', 'list'])).toMatchObject({ defaultModel: 'embedded' })
})

test('mcp test uses a model key from its environment when the daemon has none', async () => {
  stub = await startModelStub('anthropic', [{ text: 'by environment' }])
  const env = { ...home.env, ANTHROPIC_API_KEY: 'sk-ant-of-this-shell', ANTHROPIC_BASE_URL: stub.url }
  const result = await home.json<TestResult>(['test', '--server', 'weather', 'hello'], { env })
  expect(result).toMatchObject({ model: 'claude-sonnet-4-5', ai_response: 'by environment' })
})
