import { expect, test } from 'vitest'
import { runDatabaseTool } from '../../src/shared/database-tool.ts'

test('a process that prints no result is reported as UNAVAILABLE, with its error as details', async () => {
  const options = { program: '/nowhere/database.js', env: {}, failure: 'Could not list the backups' }
  await expect(runDatabaseTool(['list'], options)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'Could not list the backups: the process exited with code 1.',
    details: expect.stringContaining('Cannot find module'),
  })
})
