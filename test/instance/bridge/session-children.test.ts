import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import {
  beginSession,
  modern,
  modernHeaders,
  nextMessage,
  open,
  post,
  readEvents,
  rpc,
} from '../../helpers/clients/mcp-requests.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { callModern, openSession, type ServedProgram, serveProgram } from '../../helpers/instance/programs.ts'

let served: ServedProgram | undefined

afterEach(async () => {
  await served?.close()
  served = undefined
})

async function serve(...args: Parameters<typeof serveProgram>): Promise<ServedProgram> {
  served = await serveProgram(...args)
  return served
}

describe('one child per session', () => {
  const isolation = { children: 'session', sandbox: 'auto' } as const

  test('sessions do not share a child, and clients without a session reach the same child each time', async () => {
    const { url } = await serve({ isolation })
    const [one, other] = [await openSession(url), await openSession(url)]
    expect([await one.call('count'), await one.call('count'), await other.call('count')]).toEqual([
      '1',
      '2',
      '1',
    ])
    expect([await callModern(url, 'count'), await callModern(url, 'count')]).toEqual(['1', '2'])
    const children = await Promise.all([one.call('who'), other.call('who'), callModern(url, 'who')])
    expect(new Set(children).size).toBe(3)
  })

  test('a child stops when its session ends', async () => {
    const { url, log } = await serve({ isolation })
    const session = await openSession(url)
    const who = await session.call('who')
    await session.end()
    await eventually(() => log().some(({ message }) => message === `ended ${who}`))
  })

  test('an unused child stops, and the next request starts a new one', async () => {
    const { url, log } = await serve({ isolation: { ...isolation, idleMs: 200 } })
    const session = await openSession(url)
    const first = await session.call('who')
    await eventually(() => log().some(({ message }) => message === `ended ${first}`))
    expect(await session.call('who')).not.toBe(first)
  })

  test('a session above the limit is refused with the reason', async () => {
    const { url } = await serve({ isolation: { ...isolation, maxChildren: 1 } })
    const [one, other] = [await openSession(url), await openSession(url)]
    expect(await one.call('count')).toBe('1')
    await expect(other.call('count')).rejects.toThrow('has reached the limit of 1')
    await one.end()
    await eventually(() => other.call('count').catch(() => undefined))
  })

  test("a child gets its client's capabilities and asks only that client", async () => {
    const { url } = await serve({ isolation })
    const names = ['Ada', 'Grace', 'Mary']
    const answers = names.map(async name => {
      const headers = await beginSession(url, '2025-11-25', { elicitation: {} })
      const call = rpc('tools/call', { name: 'ask', arguments: { question: `${name}?` } }, 'same')
      const events = readEvents(await open(url, { body: call, headers }))
      const question = await nextMessage(events)
      expect(question).toMatchObject({ method: 'elicitation/create', params: { message: `${name}?` } })
      const result = { action: 'accept', content: { name } }
      await post(url, { jsonrpc: '2.0', id: question.id, result }, headers)
      const answer = await nextMessage(events)
      return JSON.parse(answer.result.content[0].text).content.name
    })
    expect(await Promise.all(answers)).toEqual(names)
  })

  test("the time limit of a call does not include the time until the client's answer", async () => {
    const { url } = await serve({ isolation, timeoutMs: 3000 })
    const headers = await beginSession(url, '2025-11-25', { elicitation: {} })
    const call = rpc('tools/call', { name: 'ask', arguments: { question: 'who?', ms: 1200 } })
    const events = readEvents(await open(url, { body: call, headers }))
    const question = await nextMessage(events)
    await sleep(3100)
    await post(url, { jsonrpc: '2.0', id: question.id, result: { action: 'decline' } }, headers)
    expect((await nextMessage(events)).result).toMatchObject({ content: [{ text: '{"action":"decline"}' }] })
  })

  test('a question that the program cancels is also cancelled in the client', async () => {
    const { url } = await serve({ isolation })
    const headers = await beginSession(url, '2025-11-25', { elicitation: {} })
    const call = rpc('tools/call', { name: 'askBriefly', arguments: {} })
    const events = readEvents(await open(url, { body: call, headers }))
    const question = await nextMessage(events)
    const cancelled = await nextMessage(events)
    expect(cancelled).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question.id } })
    expect((await nextMessage(events)).result.content[0].text).toBe('gave up')
  })

  test('a modern client is asked with input_required, and its second attempt is answered', async () => {
    const { url } = await serve({ isolation })
    const capable = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
    const params = { name: 'ask', arguments: { question: 'how many?' } }
    const first = await post(url, modern('tools/call', params, capable), modernHeaders('tools/call', 'ask'))
    expect(first.json.result.resultType).toBe('input_required')
    const [[key, question]] = Object.entries<{ method: string }>(first.json.result.inputRequests) as [
      [string, { method: string }],
    ]
    expect(question.method).toBe('elicitation/create')
    const again = {
      ...params,
      inputResponses: { [key]: { action: 'accept', content: { n: 4 } } },
      requestState: first.json.result.requestState,
    }
    const second = await post(url, modern('tools/call', again, capable), modernHeaders('tools/call', 'ask'))
    expect(JSON.parse(second.json.result.content[0].text).content).toEqual({ n: 4 })
  })
})
