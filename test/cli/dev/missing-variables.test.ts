import { expect, test } from 'vitest'
import type { CommandContext } from '../../../src/cli/command-line/command-context.ts'
import { MissingVariables } from '../../../src/cli/dev/missing-variables.ts'
import type { NextStep } from '../../../src/shared/errors.ts'
import { HostingError } from '../../../src/shared/errors.ts'

test('missing variables are reported only when the daemon is running', async () => {
  const hints: NextStep[] = []
  let isRunning = false
  const context = {
    output: { json: false, hint: (step: NextStep) => hints.push(step) },
    async api() {
      if (!isRunning) throw new HostingError('UNAVAILABLE', 'The daemon is not running.')
      return { get: async () => ({ variables: [], missing: [{ name: 'KEY', required: true }] }) }
    },
  } as unknown as CommandContext
  const missing = new MissingVariables(context)
  await missing.report('shop', [])
  expect(hints).toEqual([])
  isRunning = true
  await missing.report('shop', [])
  expect(hints).toEqual([{ description: 'No value for KEY (required)', command: 'mcp env set shop KEY' }])
})
