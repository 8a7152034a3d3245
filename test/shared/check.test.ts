import { expect, test } from 'vitest'
import { pass, runChecks } from '../../src/shared/check.ts'

test('a check that throws has failed, and the others still run', async () => {
  const checks = [
    {
      name: 'space',
      run: () => {
        throw new Error('permission denied')
      },
    },
    { name: 'platform', run: () => [pass('supported')] },
  ]
  expect(await runChecks(checks, {})).toMatchObject([
    { name: 'space', status: 'fail', message: 'could not be checked: permission denied' },
    { name: 'platform', status: 'pass' },
  ])
})
