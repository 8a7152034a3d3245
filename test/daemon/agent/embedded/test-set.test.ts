import { expect, test } from 'vitest'
import { createEmbeddedModel } from '../../../../src/daemon/agent/embedded/embedded-model.ts'
import { cases, isCorrect, play } from './test-set.ts'

/** Minimum number of correct cases, as stated in docs/embedded-model.md. */
const CORRECT_CASES = 127

test('the built-in test set has at least 12 servers and 120 messages', () => {
  expect(cases.length).toBeGreaterThanOrEqual(120)
  expect(new Set(cases.map(({ server }) => server)).size).toBeGreaterThanOrEqual(12)
})

test(`the embedded model makes the expected calls for at least ${CORRECT_CASES} messages of the built-in test set`, async () => {
  const model = createEmbeddedModel()
  const wrong: string[] = []
  for (const item of cases) {
    const made = await play(model, item)
    if (!isCorrect(item, made)) wrong.push(`${item.server}: ${item.message}: ${JSON.stringify(made)}`)
  }
  console.log(`${cases.length - wrong.length} of ${cases.length} messages; not:\n${wrong.join('\n')}`)
  expect(cases.length - wrong.length).toBeGreaterThanOrEqual(CORRECT_CASES)
})
