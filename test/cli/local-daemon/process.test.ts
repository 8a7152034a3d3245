import { expect, test, vi } from 'vitest'
import { sendSignal } from '../../../src/cli/local-daemon/process.ts'

function refuse(code: string): void {
  vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    throw Object.assign(new Error(`kill ${code}`), { code })
  })
}

test('sendSignal reports a process of another user and ignores an exited process', () => {
  refuse('EPERM')
  expect(() => sendSignal(4711, 'SIGTERM')).toThrow(
    expect.objectContaining({
      code: 'UNAVAILABLE',
      next: [expect.objectContaining({ command: 'kill 4711' })],
    }),
  )
  refuse('ESRCH')
  sendSignal(4711, 'SIGTERM')
})
