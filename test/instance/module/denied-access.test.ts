import { expect, test } from 'vitest'
import { explainDenied } from '../../../src/instance/module/denied-access.ts'
import { HandlerErrors } from '../../../src/instance/module/handler-errors.ts'
import type { ClientContext } from '../../../src/instance/server/client-context.ts'

/** An error as Node's permission model throws it. */
function denied(permission: string, resource: string): Error {
  const error = new Error(
    'Access to this API has been restricted. Use --allow-fs-read to manage permissions.',
  )
  return Object.assign(error, { code: 'ERR_ACCESS_DENIED', permission, resource })
}

test.each([
  ['FileSystemRead', './data.json', 'Handler modules may not read files: "./data.json"'],
  ['FileSystemWrite', '/tmp/$&', 'Handler modules may not write files: "/tmp/$&"'],
  ['ChildProcess', '/bin/ls', 'Handler modules may not start processes: "/bin/ls"'],
  ['WorkerThreads', '', 'Handler modules may not start worker threads'],
  ['WASI', '', 'Handler modules may not use WASI'],
])('the error for a denied %s names the action and "%s"', (permission, resource, text) => {
  const error = denied(permission, resource)
  explainDenied(error)
  expect(error.message).toBe(text)
  expect(error.stack).toMatch(`Error: ${text}\n`)
  expect(error.stack).not.toContain('--allow-')
})

test.each([
  ['another error', new Error('Access to this API')],
  ['a frozen error', Object.freeze(denied('FileSystemRead', 'a'))],
  ['a value that is not an error', { code: 'ERR_ACCESS_DENIED', permission: 'FileSystemRead' }],
])('explainDenied leaves %s unchanged', (_name, thrown) => {
  const { message } = thrown as Error
  explainDenied(thrown)
  expect((thrown as Error).message).toBe(message)
})

test('the client of a denied call receives no path, and the log shows it', () => {
  const log: string[] = []
  const errors = new HandlerErrors({}, line => log.push(line))
  const { signal } = new AbortController()
  const thrown = denied('FileSystemRead', '/home/ann/.ssh/id_rsa')
  expect(errors.describe('read', thrown, { signal } as ClientContext)).toBe(
    'Handler modules may not read files',
  )
  expect(log).toEqual([expect.stringContaining('may not read files: "/home/ann/.ssh/id_rsa"')])
})
