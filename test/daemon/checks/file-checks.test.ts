import { expect, test } from 'vitest'
import { FILE_CHECKS } from '../../../src/daemon/checks/file-checks.ts'
import { runChecks } from '../../../src/shared/check.ts'
import { homePaths } from '../../../src/shared/paths.ts'

test('the finding for an unreadable database does not recommend the command that reported it', async () => {
  const findings = await runChecks(FILE_CHECKS, {
    paths: homePaths({ MCP_HOME: '/nowhere' }),
    env: {},
    daemonPid: undefined,
    lostDatabase: () => undefined,
    inspect: () => {
      throw new Error('file is not a database')
    },
    listBackups: async () => ({ items: [] }),
  })
  expect(findings).toEqual([
    {
      name: 'files',
      status: 'warn',
      message: 'Could not compare files with the database: file is not a database',
      fix: { description: 'Repair the database first, as described under "database"' },
    },
  ])
})
