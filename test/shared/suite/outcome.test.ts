import { expect, test } from 'vitest'
import { exitCodeOf } from '../../../src/cli/suite/exit-code.ts'
import {
  concludeCase,
  concludeSuite,
  type RunOutcome,
  type Status,
} from '../../../src/shared/suite/outcome.ts'
import { kValues, passAll, passAt } from '../../../src/shared/suite/statistics.ts'

function run(status: Status, code = 'UNAVAILABLE'): RunOutcome {
  return {
    status,
    failures: status === 'failed' ? ['not met'] : [],
    error: status === 'error' ? { code, message: 'out of reach', details: '' } : null,
    model: 'embedded',
    reply: '',
    tools_used: [],
    resources_accessed: [],
    success_rate: 1,
    seconds: 0.1,
    usage: null,
    cost: null,
    chat_id: null,
    replay: null,
  }
}

const caseOf = (statuses: string, threshold = 1) =>
  concludeCase(
    'one',
    'embedded',
    threshold,
    [...statuses].map(letter => run(letter === 'p' ? 'passed' : letter === 'f' ? 'failed' : 'error')),
  )

const suiteOf = (cases: ReturnType<typeof caseOf>[], threshold = 1) =>
  concludeSuite({ name: null, server: 'weather', threshold, seconds: 1 }, cases)

test.each([
  ['ppp', 1, 'passed'],
  ['ppf', 1, 'failed'],
  ['ppf', 0.6, 'passed'],
  ['ppe', 1, 'error'],
  ['pfe', 1, 'failed'],
  ['ppe', 0.6, 'passed'],
  ['eee', 0, 'passed'],
])('runs %s with the threshold %d make a case %s', (statuses, threshold, status) => {
  expect(caseOf(statuses, threshold).status).toBe(status)
})

test('a suite exits with 7 if an error leaves its verdict open', () => {
  expect(exitCodeOf(suiteOf([caseOf('p'), caseOf('p')]))).toBe(0)
  expect(exitCodeOf(suiteOf([caseOf('p'), caseOf('f')]))).toBe(1)
  expect(exitCodeOf(suiteOf([caseOf('p'), caseOf('e')]))).toBe(7)
  expect(exitCodeOf(suiteOf([caseOf('f'), caseOf('e')]))).toBe(1)
  expect(exitCodeOf(suiteOf([caseOf('f'), caseOf('e')], 0.5))).toBe(7)
  const interrupted = concludeCase('one', 'm', 1, [run('error', 'INTERRUPTED')])
  expect(exitCodeOf(suiteOf([interrupted]))).toBe(7)
})

test('the success rate counts only judged cases', () => {
  expect(suiteOf([caseOf('p'), caseOf('f'), caseOf('e')])).toMatchObject({
    passed: 1,
    failed: 1,
    errors: 1,
    success_rate: 0.5,
  })
})

test('pass@k is the probability that at least one of k runs passes, pass^k that all of them do', () => {
  expect(kValues(5)).toEqual([1, 2, 4, 5])
  expect(passAt(1, 4, 2)).toBeCloseTo(0.5)
  expect(passAt(2, 4, 2)).toBeCloseTo(1 - 1 / 6)
  expect(passAll(2, 4, 2)).toBeCloseTo(1 / 6)
  expect([passAt(3, 3, 3), passAll(3, 3, 3), passAt(3, 3, 0), passAll(3, 3, 2)]).toEqual([1, 1, 0, 0])
  expect(passAt(500, 1000, 1)).toBeCloseTo(0.5)
})
