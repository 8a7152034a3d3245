import { expect, test } from 'vitest'
import { createEmbeddedModel } from '../../../src/daemon/agent/embedded/embedded-model.ts'
import { cases, isRight, play } from './own-set.ts'

/** What docs/embedded-model.md says; a change that falls behind it is a step back. */
const REACHED = 126

test('the set asks at least 12 servers at least 120 things', () => {
  expect(cases.length).toBeGreaterThanOrEqual(120)
  expect(new Set(cases.map(({ server }) => server)).size).toBeGreaterThanOrEqual(12)
})

test('the model makes the calls that are wanted', async () => {
  const model = createEmbeddedModel()
  const wrong: string[] = []
  for (const item of cases) {
    const made = await play(model, item)
    if (!isRight(item, made)) wrong.push(`${item.server}: ${item.message}: ${JSON.stringify(made)}`)
  }
  console.log(`${cases.length - wrong.length} of ${cases.length} messages; not:\n${wrong.join('\n')}`)
  expect(cases.length - wrong.length).toBeGreaterThanOrEqual(REACHED)
})
