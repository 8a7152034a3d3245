import { expect, test } from 'vitest'
import {
  BUILD_TRANSITIONS,
  CONTAINER_BUILD_TRANSITIONS,
  DEPLOYMENT_TRANSITIONS,
  PROJECT_TRANSITIONS,
} from '../../src/shared/contract/states.ts'
import { referenceWith } from './proof-table.ts'
import { STATE_CHANGES, stateTable } from './state-changes.ts'

test('every transition between states is tested, and no test expects any other transition', () => {
  const machines = {
    build: BUILD_TRANSITIONS,
    deployment: DEPLOYMENT_TRANSITIONS,
    'container build': CONTAINER_BUILD_TRANSITIONS,
    project: PROJECT_TRANSITIONS,
  }
  for (const [of, machine] of Object.entries(machines)) {
    const changes = STATE_CHANGES.filter(change => change.of === of)
    for (const [from, allowed] of Object.entries<readonly string[]>(machine)) {
      const leadsHere = (earlier: string) =>
        (machine as Record<string, readonly string[]>)[earlier]!.includes(from)
      // Includes events in an earlier state, which can take a record through this one.
      const tried = changes.filter(
        change => change.from === from || (!change.answer && leadsHere(change.from)),
      )
      for (const to of allowed) {
        const through = [
          to,
          ...(to === 'deploying' ? ['deployed'] : []),
          ...(to === 'in_progress' ? ['succeeded'] : []),
        ]
        expect(
          tried.some(({ then }) => through.includes(then)),
          `${of} ${from} → ${to}`,
        ).toBe(true)
      }
      for (const { then, answer } of tried.filter(change => change.from === from))
        if (then !== from && then !== 'gone' && answer !== 409)
          expect([
            ...allowed,
            ...allowed.flatMap(state => (machine as Record<string, readonly string[]>)[state]!),
          ]).toContain(then)
    }
  }
})

test('the coverage report lists every state change', () => {
  expect(referenceWith('states', stateTable())).toContain(stateTable())
})
