import { expect, test } from 'vitest'
import type { CommandContext } from '../../../src/cli/command-line/command-context.ts'
import { storeSuiteRun } from '../../../src/cli/suite/store-suite-run.ts'
import { HostingError } from '../../../src/shared/errors.ts'
import { suiteRun } from '../../daemon/http/fixtures.ts'

test('warns when storing fails, but not when the API has no suite runs', async () => {
  const warningsAfter = async (error: HostingError) => {
    const warnings: string[] = []
    const api = async () => ({ post: () => Promise.reject(error) })
    const output = { warn: (text: string) => warnings.push(text), trace() {} }
    await storeSuiteRun({ api, output } as unknown as CommandContext, suiteRun('mcp_1'))
    return warnings
  }
  expect(await warningsAfter(new HostingError('UNAVAILABLE', 'The disk is full.'))).toEqual([
    'The run was not stored: The disk is full.',
  ])
  expect(await warningsAfter(new HostingError('METHOD_NOT_ALLOWED', 'no such path'))).toEqual([])
})
