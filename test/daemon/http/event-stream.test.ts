import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventStream } from '../../../src/daemon/http/event-stream.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => vi.useRealTimers())

const streamOf = (events: AsyncIterable<unknown>) =>
  eventStream({ status: 200, events }, new Headers()).body!.getReader()

async function* endless() {
  yield 1
  await new Promise(() => {})
}

test('keeps an idle stream alive', async () => {
  const reader = streamOf(endless())
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await read()).toBe(': following\n\n')
  expect(await read()).toBe('data: 1\n\n')
  const next = read()
  vi.advanceTimersByTime(15_000)
  expect(await next).toBe(': \n\n')
})

test('stops sending to a client that does not read', async () => {
  const reader = streamOf(endless())
  vi.advanceTimersByTime(3_600_000)
  await reader.read()
  await reader.read()
  const outcome = await Promise.race([
    reader.read(),
    new Promise(resolve => setImmediate(resolve, 'nothing')),
  ])
  expect(outcome).toBe('nothing')
})

test('a failure ends the stream, and nothing more is written', async () => {
  async function* failing(): AsyncGenerator<number> {
    yield 1
    throw new Error('the log is gone')
  }
  const reader = streamOf(failing())
  await reader.read()
  await reader.read()
  await expect(reader.read()).rejects.toThrow('the log is gone')
  expect(vi.getTimerCount()).toBe(0)
})
