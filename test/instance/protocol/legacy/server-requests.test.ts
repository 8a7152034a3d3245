import { expect, test, vi } from 'vitest'
import { ServerRequests } from '../../../../src/instance/protocol/legacy/server-requests.ts'

const ask = (serverRequests: ServerRequests, signal?: AbortSignal) => {
  const sent: { id: string; method: string; params: object }[] = []
  const answer = serverRequests.ask('roots/list', {}, text => sent.push(JSON.parse(text)), signal)
  answer.catch(() => {})
  return { answer, sent }
}
const respond = (serverRequests: ServerRequests, id: string, result: unknown) =>
  serverRequests.answer({ jsonrpc: '2.0', id, result })

test('each request has its own id and accepts one answer', async () => {
  const serverRequests = new ServerRequests('inst_1.')
  const [first, second] = [ask(serverRequests), ask(serverRequests)]
  expect([first.sent[0]!.id, second.sent[0]!.id]).toEqual(['inst_1.1', 'inst_1.2'])
  expect(respond(serverRequests, 'inst_1.2', { roots: [2] })).toBe(true)
  expect(respond(serverRequests, 'inst_1.2', { roots: [3] })).toBe(false)
  expect(await second.answer).toEqual({ roots: [2] })
  expect(serverRequests.count).toBe(1)
  serverRequests.close()
  await expect(first.answer).rejects.toThrow('The session ended before the client answered')
})

test('a malformed answer rejects the request', async () => {
  const serverRequests = new ServerRequests('')
  const { answer } = ask(serverRequests)
  serverRequests.answer({ jsonrpc: '2.0', id: '1', error: 'no object' })
  await expect(answer).rejects.toMatchObject({
    code: -32603,
    message: 'The client returned an error without a message',
  })
})

test('sends nothing for a call that is already cancelled', async () => {
  const serverRequests = new ServerRequests('')
  const { answer, sent } = ask(serverRequests, AbortSignal.abort())
  await expect(answer).rejects.toThrow('roots/list: the call was cancelled')
  expect([sent, serverRequests.count]).toEqual([[], 0])
})

test('sends the client a cancellation when the answer takes too long', async () => {
  vi.useFakeTimers()
  const serverRequests = new ServerRequests('', 60_000)
  const { answer, sent } = ask(serverRequests)
  vi.advanceTimersByTime(60_000)
  await expect(answer).rejects.toThrow('roots/list: the client did not answer within 60 s')
  expect(sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: '1' } })
  expect(serverRequests.count).toBe(0)
  vi.useRealTimers()
})
