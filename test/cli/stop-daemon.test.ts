import { expect, test, vi } from 'vitest'
import { signalTo } from '../../src/cli/stop-daemon.ts'

function refuse(code: string): void {
  vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    throw Object.assign(new Error(`kill ${code}`), { code })
  })
}

test('a daemon of another user is named with what to do, and one that has ended is fine', () => {
  refuse('EPERM')
  expect(() => signalTo(4711, 'SIGTERM')).toThrow(
    expect.objectContaining({
      code: 'UNAVAILABLE',
      next: [expect.objectContaining({ command: 'kill 4711' })],
    }),
  )
  refuse('ESRCH')
  signalTo(4711, 'SIGTERM')
})
