import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { terminate } from '../../../src/daemon/engine/termination.ts'

const STUBBORN = { requestMs: 20, terminateMs: 20 }

test('a process that exits on the shutdown request gets no signal', async () => {
  const child = await start(`process.on('message', () => process.exit(0))`)
  await terminate(child, () => child.send('shutdown'))
  expect([child.exitCode, child.signalCode]).toEqual([0, null])
})

test('a process that ignores the shutdown request gets SIGTERM', async () => {
  const child = await start(`process.on('message', () => {})`)
  await terminate(child, () => child.send('shutdown'), { requestMs: 20, terminateMs: 10_000 })
  expect(child.signalCode).toBe('SIGTERM')
})

test('a process that also ignores SIGTERM gets SIGKILL', async () => {
  const child = await start(`process.on('message', () => {}); process.on('SIGTERM', () => {})`)
  await terminate(child, () => child.send('shutdown'), STUBBORN)
  expect(child.signalCode).toBe('SIGKILL')
})

test('a hanging process is terminated', async () => {
  const child = await start(`setImmediate(() => { for (;;) {} })`)
  await terminate(child, () => child.send('shutdown'), { requestMs: 20, terminateMs: 10_000 })
  expect(child.signalCode).toBe('SIGTERM')
})

test('terminate does nothing for a process that has exited', async () => {
  const child = await start('')
  child.disconnect()
  await once(child, 'exit')
  await terminate(child, () => expect.unreachable('the process does not run'))
})

test('terminate does nothing for a process that could not be started', async () => {
  const child = spawn('/no/such/program')
  await once(child, 'error')
  await terminate(child, () => expect.unreachable('the process does not run'))
})

/** Starts a process. Resolves when the source has run, so that its signal handlers are installed. */
async function start(source: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', `${source}; process.send('started')`], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await once(child, 'message')
  return child
}
