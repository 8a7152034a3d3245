import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CLI_REFERENCE, renderCliReference } from '../../../scripts/cli-reference.ts'
import { EXIT_MEANINGS } from '../../../src/cli/command-line/error-explanations.ts'
import { EXIT } from '../../../src/cli/command-line/exit-codes.ts'

test('docs/cli.md matches the declared commands (run: node scripts/cli-reference.ts)', async () => {
  const page = readFileSync(CLI_REFERENCE, 'utf8')
  expect(page).toBe(await renderCliReference(page))
})

test('every exit code has a meaning', () => {
  expect(Object.keys(EXIT_MEANINGS).map(Number)).toEqual(Object.values(EXIT))
})
