import { afterEach, describe, expect, test } from 'vitest'
import {
  beginSession,
  messagesOf,
  modern,
  modernHeaders,
  nextMessage,
  open,
  post,
  postModern,
  readEvents,
  rpc,
  send,
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

describe('forwarding', () => {
  test("forwards the program's name, instructions and capabilities, and its paginated lists in both eras", async () => {
    const { url } = await serve()
    const answer = await post(
      url,
      rpc('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      }),
    )
    expect(answer.json.result).toMatchObject({
      serverInfo: { name: 'fixture', version: '3.2.1', title: 'A fixture' },
      instructions: 'Be gentle.',
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        completions: {},
        logging: {},
      },
    })
    const headers = { 'mcp-session-id': String(answer.headers['mcp-session-id']) }
    const first = await post(url, rpc('tools/list'), headers)
    expect(first.json.result.tools).toHaveLength(10)
    const second = await postModern(url, 'tools/list', { cursor: first.json.result.nextCursor })
    expect(second.json.result.tools.length).toBeGreaterThan(0)
    const templates = await post(url, rpc('resources/templates/list'), headers)
    expect(templates.json.result.resourceTemplates[0].uriTemplate).toBe('fixture://{letter}')
  })

  test.each(['shared', 'session'] as const)(
    'a browser gets a page with the tools of a program (isolation %s)',
    async isolation => {
      const { url } = await serve({ isolation })
      const { status, text } = await send(url, { headers: { accept: 'text/html' } })
      expect(status).toBe(200)
      expect(text).toContain('<h1>A fixture</h1>')
      expect(text).toContain('<code>echo</code>')
    },
  )

  test('forwards resources, prompts and completions', async () => {
    const { url } = await serve()
    const read = await postModern(url, 'resources/read', { uri: 'fixture://b' })
    expect(read.json.result.contents).toEqual([{ uri: 'fixture://b', text: 'content of fixture://b' }])
    const prompt = await postModern(url, 'prompts/get', { name: 'greet', arguments: { who: 'Ada' } })
    expect(prompt.json.result.messages[0].content.text).toBe('Hello Ada')
    const params = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'A' } }
    const completed = await postModern(url, 'completion/complete', params)
    expect(completed.json.result.completion.values).toEqual(['A!'])
  })

  test('forwards an error with its code, message and data', async () => {
    const { url } = await serve()
    const answer = await postModern(url, 'tools/call', { name: 'nothing', arguments: {} })
    expect(answer.json.error).toEqual({
      code: -32602,
      message: 'Unknown tool: nothing',
      data: { name: 'nothing' },
    })
  })

  test('forwards unknown members of _meta, except those that concern the connection', async () => {
    const { url } = await serve()
    const body = modern(
      'tools/call',
      { name: 'meta', arguments: {} },
      { 'com.example/trace': 'abc', progressToken: 'mine' },
    )
    const answer = await post(url, body, modernHeaders('tools/call', 'meta'))
    const meta = JSON.parse(
      messagesOf(answer.text).at(-1)?.json?.result.content[0].text ?? answer.json.result.content[0].text,
    )
    expect(Object.keys(meta).sort()).toEqual(['com.example/trace', 'progressToken'])
    expect(meta['com.example/trace']).toBe('abc')
    expect(meta.progressToken).not.toBe('mine')
  })
})

describe('during a call', () => {
  test('progress notifications contain the token of the request that they belong to', async () => {
    const { url } = await serve()
    const headers = await beginSession(url)
    const tokens = ['a', 'b', 7]
    const answers = await Promise.all(
      tokens.map(progressToken =>
        post(url, rpc('tools/call', { name: 'progress', arguments: {}, _meta: { progressToken } }), headers),
      ),
    )
    for (const [index, { text }] of answers.entries()) {
      const notes = messagesOf(text).filter(({ json }) => json?.method === 'notifications/progress')
      expect(notes.map(({ json }) => json.params)).toEqual([
        { progressToken: tokens[index], progress: 1, total: 2, message: '1' },
        { progressToken: tokens[index], progress: 2, total: 2, message: '2' },
      ])
    }
  })

  test('a log message is sent to the only client with a running call', async () => {
    const { url } = await serve()
    const headers = await beginSession(url)
    const { text } = await post(
      url,
      rpc('tools/call', { name: 'log', arguments: { text: 'careful' } }),
      headers,
    )
    expect(messagesOf(text).find(({ json }) => json)?.json).toMatchObject({
      method: 'notifications/message',
      params: { level: 'warning', logger: 'fixture', data: 'careful' },
    })
  })

  test('a cancelled request is also cancelled in the program, under the id that the program received', async () => {
    const { url } = await serve()
    const headers = await beginSession(url)
    const never = post(url, rpc('tools/call', { name: 'never', arguments: {} }, 'x'), headers)
    await post(url, rpc('tools/call', { name: 'count', arguments: {} }, 'y'), headers)
    await post(
      url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } },
      headers,
    )
    await never
    const cancelled = await eventually(async () => JSON.parse(await callModern(url, 'cancelled'))[0])
    expect(typeof cancelled).toBe('number')
  })

  test('a modern client cancels its request by closing the connection', async () => {
    const { url } = await serve()
    const gone = new AbortController()
    const call = open(url, {
      body: modern('tools/call', { name: 'never', arguments: {} }),
      headers: modernHeaders('tools/call', 'never'),
      signal: gone.signal,
    }).catch(() => {})
    await callModern(url, 'count')
    gone.abort()
    await call
    await eventually(async () => (await callModern(url, 'cancelled')) !== '[]')
  })

  test('an answer that takes too long fails only its own request', async () => {
    const { url } = await serve({ timeoutMs: 2000 })
    await expect(callModern(url, 'never')).rejects.toThrow('did not answer tools/call within 2 s')
    expect(await callModern(url, 'echo', { text: 'still here' })).toBe('still here')
  })
})

describe('one child for all clients', () => {
  test('clients with the same request ids each get their own answers', async () => {
    const { url } = await serve()
    const clients = await Promise.all(Array.from({ length: 30 }, () => openSession(url)))
    const rounds = clients.flatMap((client, who) =>
      [0, 1, 2].map(async round => {
        const text = `client ${who} round ${round}`
        expect(await client.call('echo', { text, ms: (who * 7 + round * 3) % 20 })).toBe(text)
      }),
    )
    await Promise.all(rounds)
    const children = await Promise.all(clients.map(client => client.call('who')))
    expect(new Set(children).size).toBe(1)
  })

  test('a child for all clients declares no capability, and its questions are rejected with a hint', async () => {
    const { url } = await serve()
    const session = await openSession(url)
    expect(JSON.parse(await session.call('facts')).capabilities).toEqual({})
    await expect(session.call('ask', { question: 'who?' })).rejects.toThrow('--isolation session')
  })

  test('a child for all clients gets one subscription per resource, which ends with the last session', async () => {
    const { url } = await serve()
    const [one, other] = [await openSession(url), await openSession(url)]
    for (const { headers } of [one, other])
      await post(url, rpc('resources/subscribe', { uri: 'fixture://a' }), headers)
    expect(await one.call('subscriptions')).toBe('["fixture://a"]')
    await one.end()
    expect(await other.call('subscriptions')).toBe('["fixture://a"]')
    await other.end()
    await eventually(async () => (await callModern(url, 'subscriptions')) === '[]')
  })

  test('updates reach subscribed sessions and listening clients without a session', async () => {
    const { url } = await serve()
    const uri = 'fixture://a'
    const [subscribed, other] = [await openSession(url), await openSession(url)]
    await post(url, rpc('resources/subscribe', { uri }), subscribed.headers)
    const streams = await Promise.all(
      [subscribed, other].map(({ headers }) => open(url, { method: 'GET', headers })),
    )
    const listen = await open(url, {
      body: modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['fixture://b'] } }),
      headers: modernHeaders('subscriptions/listen'),
    })
    const [mine, theirs, modernOnes] = [...streams, listen].map(readEvents) as [Events, Events, Events]
    expect((await nextMessage(modernOnes)).method).toBe('notifications/subscriptions/acknowledged')
    await eventually(async () => (await subscribed.call('subscriptions')) === '["fixture://a","fixture://b"]')
    for (const touched of [uri, 'fixture://b']) await other.call('touch', { uri: touched })
    await other.call('changed')
    expect((await nextMessage(mine)).params).toEqual({ uri })
    expect((await nextMessage(modernOnes)).params.uri).toBe('fixture://b')
    expect((await nextMessage(theirs)).method).toBe('notifications/tools/list_changed')
    for (const events of [mine, theirs, modernOnes]) events.close()
    await eventually(async () => (await subscribed.call('subscriptions')) === '["fixture://a"]')
  })

  test('a program restarts after a crash, which fails only the pending requests', async () => {
    const { url, log } = await serve()
    const session = await openSession(url)
    const before = await session.call('who')
    await expect(session.call('exit', { code: 3 })).rejects.toThrow('exited with code 3')
    expect(await session.call('who')).not.toBe(before)
    await eventually(() => log().some(({ message }) => message.includes('the program exited with code 3')))
  })
})

type Events = ReturnType<typeof readEvents>
