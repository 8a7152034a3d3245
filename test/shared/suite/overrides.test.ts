import { expect, test } from 'vitest'
import type { Suite } from '../../../src/shared/definitions/test-suite.ts'
import { overrideSuite } from '../../../src/shared/suite/overrides.ts'
import { planSuite } from '../../../src/shared/suite/plan.ts'

const SUITE: Suite = {
  models: ['a', 'b'],
  repeat: 2,
  limits: { turns: 3, calls: 9 },
  offer: { deny: ['x'] },
  cases: [{ message: 'same', limits: { turns: 5 }, threshold: 0.5 }, { message: 'same' }],
}

test('overrides replace the settings of a case, and the settings of a case replace those of the suite', () => {
  const settings = { limits: { calls: 1 }, make_calls: false }
  const [first, second, third] = planSuite(overrideSuite(SUITE, { cases: [], models: [], settings }))
  expect(first).toMatchObject({
    name: 'same',
    model: 'a',
    repeat: 2,
    threshold: 0.5,
    request: { limits: { turns: 5, calls: 1 }, tools: { deny: ['x'] }, make_calls: false },
  })
  expect(second).toMatchObject({
    name: 'same (2)',
    model: 'a',
    threshold: 1,
    request: { limits: { turns: 3, calls: 1 } },
  })
  expect(third).toMatchObject({ model: 'b' })
})

test('a chosen case runs with the given models and keeps its name', () => {
  const suite = overrideSuite(SUITE, { cases: ['same (2)'], models: ['c'], repeat: 1, pass: 0.5 })
  expect(suite.pass).toBe(0.5)
  const planned = planSuite(suite)
  expect(planned.map(({ name, model, repeat }) => [name, model, repeat])).toEqual([['same (2)', 'c', 1]])
})

test('an unknown case is rejected with the names of all cases', () => {
  expect(() => overrideSuite(SUITE, { cases: ['other'], models: [] })).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', details: 'Its cases: same, same (2)' }),
  )
})
