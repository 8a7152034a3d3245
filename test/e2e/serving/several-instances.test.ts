import { Agent } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import {
  beginSession,
  modern,
  modernHeaders,
  open,
  post,
  postModern,
  readEvents,
  rpc,
  send,
} from '../../helpers/clients/mcp-requests.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

/** Requests without an agent use new connections, which the daemon hands to the instance with the lowest load. */
const TOOL = `
import { defineTool } from 'mcp-hosting/server'
const me = crypto.randomUUID()
export default defineTool({
  description: 'Returns who answers, and announces changed tools',
  handler: (_args, context) => { context.announce('tools'); return me },
})`

const ASK = `
import { defineTool } from 'mcp-hosting/server'
export default defineTool({
  description: 'Asks three times',
  async handler(_args, context) {
    const texts = []
    for (const question of ['a', 'b', 'c']) texts.push((await context.sample(question)).text)
    return texts.join('')
  },
})`

let daemon: TestDaemon
let url: string
let deployment: string
let single: { url: string; deployment_id: string }
beforeAll(async () => {
  daemon = await startTestDaemon()
  using project = createProjectFolder({ 'tools/who.ts': TOOL, 'tools/ask.ts': ASK })
  const config = { scaling: { min_instances: 2, max_instances: 2 } }
  const deployed = await deployFolder(daemon, 'two', project.path, { config })
  url = deployed.url
  deployment = deployed.deployment_id
  single = await deployFolder(daemon, 'one', project.path, { config: { scaling: { max_instances: 1 } } })
})
afterAll(() => daemon.close())

const isListChanged = (message: { method?: string } | undefined) =>
  message?.method === 'notifications/tools/list_changed'

/** Keeps a connection to an instance open and receives its notifications. */
async function listen() {
  const body = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
  const events = readEvents(await open(url, { body, headers: modernHeaders('subscriptions/listen') }))
  expect((await events.next())!.json.method).toBe('notifications/subscriptions/acknowledged')
  return events
}

const who = async () => (await postModern(url, 'tools/call', { name: 'who' })).json.result.content[0].text

test('a list change announced by one instance reaches the clients of every instance', async () => {
  const listeners = await Promise.all([listen(), listen(), listen(), listen()])
  await who()
  for (const events of listeners) {
    expect(isListChanged((await events.next())!.json)).toBe(true)
    events.close()
  }
})

test('a session stays with its instance, while requests without a session go to both instances', async () => {
  const session = await beginSession(url)
  const answers = []
  // While these connections are open, the next one goes to the other instance.
  const held = [await listen(), await listen(), await listen()]
  for (let count = 0; count < 6; count++) {
    const { json } = await post(url, rpc('tools/call', { name: 'who' }), session)
    answers.push(json.result.content[0].text)
    held.push(await listen())
  }
  expect(new Set(answers).size).toBe(1)
  for (const events of held) events.close()
  const seen = new Set<string>()
  while (seen.size < 2) {
    seen.add(await who())
    held.push(await listen())
  }
  for (const events of held) events.close()
})

test('a session whose instance is gone moves to one other instance, which answers its calls', async () => {
  const sessions = await Promise.all(
    Array.from({ length: 4 }, () => beginSession(url, '2025-11-25', { sampling: {} })),
  )
  const { status } = await daemon.api('POST', `/v1/deploy/${deployment}/restart`)
  expect(status).toBe(200)
  for (let round = 0; round < 2; round++)
    expect(await Promise.all(sessions.map(askedAndAnswered))).toEqual(Array(4).fill('yesyesyes'))
})

test('a call that asks its client continues during a restart, and a connection from before the restart serves the next call', async () => {
  const session = await beginSession(single.url, '2025-11-25', { sampling: {} })
  const agent = new Agent({ keepAlive: true })
  const events = readEvents(
    await open(single.url, { body: rpc('tools/call', { name: 'ask' }), headers: session }),
  )
  const idle = await send(single.url, { body: rpc('ping'), headers: session, agent })
  expect(idle.status).toBe(200)
  const { status } = await daemon.api('POST', `/v1/deploy/${single.deployment_id}/restart`)
  expect(status).toBe(200)
  expect(await answeredTo(events, single.url, session)).toBe('yesyesyes')
  const next = readEvents(
    await open(single.url, { body: rpc('tools/call', { name: 'ask' }), headers: session, agent }),
  )
  expect(await answeredTo(next, single.url, session)).toBe('yesyesyes')
  agent.destroy()
})

test('a client that ends its session with a declared server ends it on every instance', async () => {
  const mcpId = await buildServer(daemon, echoServer('declared'))
  const config = { scaling: { min_instances: 2, max_instances: 2 } }
  const { url } = await deploy(daemon, mcpId, 'production', config)
  const session = await beginSession(url)
  // While these connections are open, the next ones go to both instances.
  const streams = await Promise.all(
    Array.from({ length: 4 }, async () => open(url, { headers: await beginSession(url) })),
  )
  const statuses = () =>
    Promise.all(Array.from({ length: 6 }, async () => (await post(url, rpc('ping'), session)).status))
  expect(await statuses()).toEqual(Array(6).fill(200))
  expect((await send(url, { method: 'DELETE', headers: session })).status).toBe(200)
  await expect.poll(statuses).toEqual(Array(6).fill(404))
  for (const stream of streams) stream.destroy()
})

async function askedAndAnswered(session: Record<string, string>): Promise<string> {
  const events = readEvents(await open(url, { body: rpc('tools/call', { name: 'ask' }), headers: session }))
  return answeredTo(events, url, session)
}

/** Answers each question from a call over a new connection. Returns the result's text. */
async function answeredTo(
  events: ReturnType<typeof readEvents>,
  endpoint: string,
  session: Record<string, string>,
): Promise<string> {
  const result = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }
  for (;;) {
    const { json } = (await events.next())!
    if (json?.result) return json.result.content[0].text
    if (json?.method === 'sampling/createMessage')
      await post(endpoint, { jsonrpc: '2.0', id: json.id, result }, session)
  }
}
