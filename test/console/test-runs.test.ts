import { expect, test } from 'vitest'
import { formatCost, groupCases } from '../../src/console/views/server/tests/run-text.ts'
import type { SuiteRunCase } from '../../src/shared/contract/testing/suite-runs.ts'

const caseOf = (name: string, model: string, status: SuiteRunCase['status']) =>
  ({ name, model, status }) as SuiteRunCase

test('a case has the status of its worst model, and cases that did not pass come first', () => {
  const groups = groupCases([
    caseOf('a', 'small', 'passed'),
    caseOf('b', 'small', 'passed'),
    caseOf('c', 'small', 'error'),
    caseOf('a', 'large', 'passed'),
    caseOf('b', 'large', 'failed'),
    caseOf('c', 'large', 'passed'),
  ])
  expect(groups.map(({ name, status, cases }) => [name, status, cases.map(({ model }) => model)])).toEqual([
    ['b', 'failed', ['small', 'large']],
    ['c', 'error', ['small', 'large']],
    ['a', 'passed', ['small', 'large']],
  ])
})

test('small costs are shown with more digits', () => {
  expect([null, 0, 0.00421, 1.3].map(formatCost)).toEqual(['–', '$0.00', '$0.0042', '$1.30'])
})
