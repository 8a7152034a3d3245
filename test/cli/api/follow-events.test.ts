import { expect, test } from 'vitest'
import type { ApiClient, RequestInput } from '../../../src/cli/api/client.ts'
import { followEvents } from '../../../src/cli/api/follow-events.ts'

test('throws CANCELLED if the user interrupts while it waits to reopen the stream', async () => {
  const interrupt = new AbortController()
  const client = {
    async *stream(_method: string, _path: string, { onStream }: RequestInput) {
      onStream?.()
      yield 'first'
      setTimeout(() => interrupt.abort())
    },
  } as unknown as ApiClient
  const events = followEvents(
    {
      api: async () => client,
      reopenApi: async () => client,
      output: { trace() {} } as never,
      signal: interrupt.signal,
    },
    '/api/events',
    {},
  )
  expect(await events.next()).toEqual({ done: false, value: 'first' })
  await expect(events.next()).rejects.toMatchObject({ name: 'HostingError', code: 'CANCELLED' })
})
