import { Server } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { openLoopback } from '../../../src/cli/sign-in/loopback.ts'

afterEach(() => void vi.restoreAllMocks())

function forbidPort(): void {
  vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
    const error = Object.assign(new Error('listen EACCES'), { code: 'EACCES' })
    setImmediate(() => this.emit('error', error))
    return this
  })
}

test('a required port that is not permitted is not reported as in use', async () => {
  forbidPort()
  await expect(openLoopback(80, { isFixed: true })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringContaining('Port 80 for the sign-in redirect is not permitted'),
  })
})

test('uses another port if the preferred one is not permitted', async () => {
  forbidPort()
  const loopback = await openLoopback(80)
  loopback.close()
  expect(loopback.redirectUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
})
