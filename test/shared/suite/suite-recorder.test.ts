import { expect, test } from 'vitest'
import { type NewSuiteRun, newSuiteRunSchema } from '../../../src/shared/contract/testing/suite-runs.ts'
import type { TestResult } from '../../../src/shared/contract/testing/test-results.ts'
import type { Suite } from '../../../src/shared/definitions/test-suite.ts'
import { concludeCase, concludeSuite, type RunOutcome } from '../../../src/shared/suite/outcome.ts'
import { SuiteRecorder } from '../../../src/shared/suite/suite-recorder.ts'

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
    replay: null,
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

const SUITE: Suite = { name: 'sums', cases: [{ message: 'add 2 and 3' }] }

/** The record, as the API reads it. */
function recordOf(recorder: SuiteRecorder, runs: RunOutcome[], suite = SUITE): NewSuiteRun {
  return newSuiteRunSchema.parse(recorder.record(TARGET, suite, outcomeOf(runs)))
}

test('a record contains the suite and the verdicts with transcripts', () => {
  const recorder = new SuiteRecorder()
  const run = runOf('passed')
  recorder.keep(run, [
    { message: 'add 2 and 3', result: resultOf('5') },
    { message: 'again', result: undefined },
  ])
  const record = recordOf(recorder, [run])
  expect(record).toMatchObject({ mcpId: 'mcp_1', status: 'passed', passed: 1, successRate: 1 })
  expect(record.definition).toEqual(SUITE)
  expect(record.cases[0]!.runs[0]!.transcript).toEqual([
    { role: 'user', text: 'add 2 and 3' },
    { role: 'tool', tool: 'add', arguments: '{"a":2}', text: '5', error: null, seconds: 0.01 },
    { role: 'assistant', text: '5' },
    { role: 'user', text: 'again' },
  ])
})

test('truncates long text in a transcript and marks its entry', () => {
  const recorder = new SuiteRecorder()
  const run = runOf('passed')
  recorder.keep(run, [{ message: 'add', result: resultOf('x'.repeat(5000)) }])
  const [, call] = recordOf(recorder, [run]).cases[0]!.runs[0]!.transcript
  expect(call).toMatchObject({ isTruncated: true, text: 'x'.repeat(4000) })
})

test('omits the transcripts of passed runs, and then all transcripts, if the record would be too large', () => {
  const lengths = (counts: Record<'passed' | 'failed', number>) => {
    const recorder = new SuiteRecorder()
    const runs = (['passed', 'failed'] as const).flatMap(status =>
      Array.from({ length: counts[status] }, () => runOf(status)),
    )
    for (const run of runs)
      recorder.keep(run, [{ message: 'x'.repeat(4000), result: resultOf('y'.repeat(4000)) }])
    const { cases } = recordOf(recorder, runs)
    return [...new Set(cases.map(({ status, runs: [run] }) => `${status} ${run!.transcript.length}`))]
  }
  expect(lengths({ passed: 10, failed: 10 })).toEqual(['passed 3', 'failed 3'])
  expect(lengths({ passed: 200, failed: 10 })).toEqual(['passed 0', 'failed 3'])
  expect(lengths({ passed: 10, failed: 200 })).toEqual(['passed 0', 'failed 0'])
})

test('a suite that is itself too large is omitted', () => {
  const large = { cases: [{ message: 'x'.repeat(1_100_000) }] }
  const { definition, cases } = recordOf(new SuiteRecorder(), [runOf('passed')], large)
  expect([definition, cases.length]).toEqual([undefined, 1])
})

test('a replayed run has the time of the recording', () => {
  const recorded_at = '2026-11-01T10:00:00.000Z'
  const runs = [{ ...runOf('passed'), replay: { recorded_at } }, runOf('passed')]
  const { cases } = recordOf(new SuiteRecorder(), runs)
  expect(cases.map(({ runs: [run] }) => run!.replay)).toEqual([{ recordedAt: recorded_at }, undefined])
})
