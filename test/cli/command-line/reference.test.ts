import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CLI_REFERENCE, renderCliReference } from '../../../scripts/cli-reference.ts'
import { EXIT } from '../../../src/cli/command-line/exit-codes.ts'

test('docs/cli.md matches the declared commands (run: node scripts/cli-reference.ts)', async () => {
  const page = readFileSync(CLI_REFERENCE, 'utf8')
  expect(page).toBe(await renderCliReference(page))
})

test('docs/cli.md lists every exit code', () => {
  const page = readFileSync(CLI_REFERENCE, 'utf8')
  for (const code of Object.values(EXIT)) expect(page).toContain(`| ${code} |`)
})
