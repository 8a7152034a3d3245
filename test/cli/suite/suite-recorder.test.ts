import { expect, test } from 'vitest'
import type { CommandContext } from '../../../src/cli/command-line/command-context.ts'
import { concludeCase, concludeSuite, type RunOutcome } from '../../../src/cli/suite/outcome.ts'
import { SuiteRecorder } from '../../../src/cli/suite/suite-recorder.ts'
import { type NewSuiteRun, newSuiteRunSchema } from '../../../src/shared/contract/projects/suite-runs.ts'
import type { TestResult } from '../../../src/shared/contract/projects/test-results.ts'
import { HostingError } from '../../../src/shared/errors.ts'

const TARGET = { mcpId: 'mcp_1', name: 'calc' }

function runOf(status: RunOutcome['status']): RunOutcome {
  return {
    status,
    failures: status === 'failed' ? ['`add` was not called.'] : [],
    error: null,
    model: 'embedded',
    reply: '5',
    tools_used: ['add'],
    resources_accessed: [],
    success_rate: 1,
    seconds: 0.1,
    usage: null,
    cost: null,
    chat_id: 'chat_1',
  }
}

function resultOf(text: string): TestResult {
  const result = { content: [{ type: 'text', text }] }
  return {
    ai_response: '5',
    tools_used: ['add'],
    resources_accessed: [],
    execution_time: 0.1,
    success_rate: 1,
    tool_calls: [{ name: 'add', arguments: { a: 2 }, result, error: null, seconds: 0.01, turn: 1 }],
  }
}

function outcomeOf(runs: RunOutcome[]) {
  const cases = runs.map((run, index) => concludeCase(`case ${index}`, 'embedded', 1, [run]))
  return concludeSuite({ name: null, server: 'calc', threshold: 1, seconds: 1 }, cases)
}

/** A context whose API stores, or fails with the error. */
function contextOf(error?: HostingError) {
  const posted: NewSuiteRun[] = []
  const warnings: string[] = []
  const api = async () => ({
    post: async (_path: string, body: NewSuiteRun) => {
      if (error) throw error
      posted.push(newSuiteRunSchema.parse(body))
    },
  })
  const output = { warn: (text: string) => warnings.push(text), trace() {} }
  return { posted, warnings, context: { api, output } as unknown as CommandContext }
}

test('stores the verdicts with transcripts', async () => {
  const recorder = new SuiteRecorder()
  const run = runOf('passed')
  recorder.keep(run, [
    { message: 'add 2 and 3', result: resultOf('5') },
    { message: 'again', result: undefined },
  ])
  const { posted, context } = contextOf()
  await recorder.store(context, TARGET, outcomeOf([run]))
  expect(posted).toMatchObject([{ mcpId: 'mcp_1', status: 'passed', passed: 1, successRate: 1 }])
  expect(posted[0]!.cases[0]!.runs[0]!.transcript).toEqual([
    { role: 'user', text: 'add 2 and 3' },
    { role: 'tool', tool: 'add', arguments: '{"a":2}', text: '5', error: null, seconds: 0.01 },
    { role: 'assistant', text: '5' },
    { role: 'user', text: 'again' },
  ])
})

test('truncates long text and marks it', async () => {
  const recorder = new SuiteRecorder()
  const run = runOf('passed')
  recorder.keep(run, [{ message: 'add', result: resultOf('x'.repeat(5000)) }])
  const { posted, context } = contextOf()
  await recorder.store(context, TARGET, outcomeOf([run]))
  const [, call] = posted[0]!.cases[0]!.runs[0]!.transcript
  expect(call).toMatchObject({ isTruncated: true, text: 'x'.repeat(4000) })
})

test('omits the transcripts of passed runs, then all, if the run would be too large', async () => {
  const lengths = async (counts: Record<'passed' | 'failed', number>) => {
    const recorder = new SuiteRecorder()
    const runs = (['passed', 'failed'] as const).flatMap(status =>
      Array.from({ length: counts[status] }, () => runOf(status)),
    )
    for (const run of runs)
      recorder.keep(run, [{ message: 'x'.repeat(4000), result: resultOf('y'.repeat(4000)) }])
    const { posted, context } = contextOf()
    await recorder.store(context, TARGET, outcomeOf(runs))
    return [
      ...new Set(posted[0]!.cases.map(({ status, runs: [run] }) => `${status} ${run!.transcript.length}`)),
    ]
  }
  expect(await lengths({ passed: 10, failed: 10 })).toEqual(['passed 3', 'failed 3'])
  expect(await lengths({ passed: 200, failed: 10 })).toEqual(['passed 0', 'failed 3'])
  expect(await lengths({ passed: 10, failed: 200 })).toEqual(['passed 0', 'failed 0'])
})

test('warns when storing fails, but not when the API has no suite runs', async () => {
  const warningsAfter = async (error: HostingError) => {
    const { warnings, context } = contextOf(error)
    await new SuiteRecorder().store(context, TARGET, outcomeOf([runOf('failed')]))
    return warnings
  }
  expect(await warningsAfter(new HostingError('UNAVAILABLE', 'The disk is full.'))).toEqual([
    'The run was not stored: The disk is full.',
  ])
  expect(await warningsAfter(new HostingError('METHOD_NOT_ALLOWED', 'no such path'))).toEqual([])
})
