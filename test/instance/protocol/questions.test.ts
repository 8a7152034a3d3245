import { expect, test, vi } from 'vitest'
import { Questions } from '../../../src/instance/protocol/questions.ts'

const ask = (questions: Questions, signal?: AbortSignal) => {
  const sent: { id: string; method: string; params: object }[] = []
  const answer = questions.ask('roots/list', {}, text => sent.push(JSON.parse(text)), signal)
  answer.catch(() => {})
  return { answer, sent }
}
const respond = (questions: Questions, id: string, result: unknown) =>
  questions.answer({ jsonrpc: '2.0', id, result })

test('each question has an id of its own, and is answered once', async () => {
  const questions = new Questions('inst_1.')
  const [first, second] = [ask(questions), ask(questions)]
  expect([first.sent[0]!.id, second.sent[0]!.id]).toEqual(['inst_1.1', 'inst_1.2'])
  expect(respond(questions, 'inst_1.2', { roots: [2] })).toBe(true)
  expect(respond(questions, 'inst_1.2', { roots: [3] })).toBe(false)
  expect(await second.answer).toEqual({ roots: [2] })
  expect(questions.count).toBe(1)
  questions.close()
  await expect(first.answer).rejects.toThrow('the session ended before its client answered')
})

test('an answer that is none fails the question', async () => {
  const questions = new Questions('')
  const { answer } = ask(questions)
  questions.answer({ jsonrpc: '2.0', id: '1', error: 'no object' })
  await expect(answer).rejects.toMatchObject({ code: -32603, message: 'the client answered with an error' })
})

test('a question of a call that was cancelled is not asked', async () => {
  const questions = new Questions('')
  const { answer, sent } = ask(questions, AbortSignal.abort())
  await expect(answer).rejects.toThrow('roots/list: the call was cancelled')
  expect([sent, questions.count]).toEqual([[], 0])
})

test('a client that never answers is told when nobody waits any more', async () => {
  vi.useFakeTimers()
  const questions = new Questions('', 60_000)
  const { answer, sent } = ask(questions)
  vi.advanceTimersByTime(60_000)
  await expect(answer).rejects.toThrow('roots/list: no answer came within 60 s')
  expect(sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: '1' } })
  expect(questions.count).toBe(0)
  vi.useRealTimers()
})
