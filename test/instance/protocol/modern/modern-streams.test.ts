import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createArtifact } from '../../../fixtures/instance/artifact.ts'
import {
  messagesOf,
  modern,
  modernHeaders,
  open,
  post,
  postModern,
  readEvents,
  send,
} from '../../../helpers/clients/mcp-requests.ts'
import {
  type InstanceAddress,
  type InstanceHarness,
  startInstance,
} from '../../../helpers/instance/instance-harness.ts'
import { fixtureProgram } from '../../../helpers/vitest/fixture-programs.ts'

const META = 'io.modelcontextprotocol/'
const INFO = { [`${META}serverInfo`]: { name: 'scripted', version: '1.2.3' } }

let harness: InstanceHarness
let address: InstanceAddress

beforeAll(async () => {
  ;({ harness, address } = await startInstance(createArtifact(), { program: fixtureProgram('scripted') }))
})
afterAll(() => harness.stop())

const callText = async (name: string, args = {}) =>
  (await postModern(address.url, 'tools/call', { name, arguments: args })).json.result.content[0].text

describe('a modern tool that streams', () => {
  const steps = (meta: Record<string, unknown>) =>
    post(
      address.url,
      modern('tools/call', { name: 'in-steps' }, meta),
      modernHeaders('tools/call', 'in-steps'),
    )

  test('a streaming modern tool sends log messages only at or above the level that the client named', async () => {
    const logged = async (meta: Record<string, unknown>) =>
      messagesOf((await steps(meta)).text).filter(event => event.json.method === 'notifications/message')
        .length
    expect(await logged({})).toBe(0)
    expect(await logged({ [`${META}logLevel`]: 'debug' })).toBe(3)
    expect(await logged({ [`${META}logLevel`]: 'warning' })).toBe(1)
  })

  test('a streaming modern tool sends progress and then the result', async () => {
    const events = messagesOf((await steps({ progressToken: 5 })).text)
    expect(events.map(event => event.json.params?.progress ?? event.json.result.resultType)).toEqual([
      1,
      2,
      3,
      'complete',
    ])
    expect(events.every(event => event.id === undefined)).toBe(true)
  })

  test.each(['hang', 'hang-streaming'])(
    'closing the connection cancels a call of the modern tool %s',
    async name => {
      const before = Number(await callText('cancelled'))
      harness.received.length = 0
      const controller = new AbortController()
      const hanging = send(address.url, {
        body: modern('tools/call', { name }),
        headers: modernHeaders('tools/call', name),
        signal: controller.signal,
      }).catch(() => 'closed')
      // The request is running once the metrics report it as active.
      await harness.message('metrics', ({ tenants }) => tenants[0]!.activeRequests > 0)
      controller.abort()
      expect(await hanging).toBe('closed')
      await expect.poll(() => callText('cancelled')).toBe(String(before + 1))
    },
  )

  test('a streaming modern tool is cancelled when the client reads nothing', async () => {
    const before = Number(await callText('cancelled'))
    const body = modern('tools/call', { name: 'flood' }, { [`${META}logLevel`]: 'debug' })
    const unread = await open(address.url, { body, headers: modernHeaders('tools/call', 'flood') })
    unread.on('error', () => {})
    await expect.poll(() => callText('cancelled')).toBe(String(before + 1))
    unread.destroy()
  })
})

describe('subscriptions/listen', () => {
  const listen = (notifications: unknown) =>
    open(address.url, {
      body: modern('subscriptions/listen', { notifications }),
      headers: modernHeaders('subscriptions/listen'),
    })

  test('subscriptions/listen acknowledges the supported subscriptions and stays open', async () => {
    const events = readEvents(await listen({ toolsListChanged: true, resourceSubscriptions: ['test://one'] }))
    expect((await events.next())!.json).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { resourceSubscriptions: ['test://one'] },
        _meta: { [`${META}subscriptionId`]: 1 },
      },
    })
    events.close()
  })

  test('subscriptions/listen ends immediately with its result when no subscription is supported', async () => {
    const events = readEvents(await listen({ promptsListChanged: true }))
    expect((await events.next())!.json.params.notifications).toEqual({})
    expect((await events.next())!.json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', _meta: { ...INFO, [`${META}subscriptionId`]: 1 } },
    })
    expect(await events.next()).toBeUndefined()
  })

  test.each([undefined, [], { toolsListChanged: 'yes' }, { resourceSubscriptions: [1] }])(
    'subscriptions/listen rejects the filter %j',
    async notifications => {
      const message = await listen(notifications)
      let text = ''
      for await (const chunk of message) text += chunk
      expect(JSON.parse(text).error.code).toBe(-32602)
    },
  )
})
