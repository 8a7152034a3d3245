import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { FAULTS } from '../../scripts/faults/faults.ts'
import { findCode } from '../../scripts/faults/find-code.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each(FAULTS)('the fault "$title" applies to one place in the code and names its tests', async fault => {
  const { tests } = await findCode(root, fault)
  expect(tests.length).toBeGreaterThan(0)
})
