import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROOF_BYTES, REPLY } from '../../../src/instance/peers/handshake.ts'
import { open, post, readEvents, rpc } from '../../helpers/clients/mcp-requests.ts'
import { type InstanceAddress, InstanceHarness } from '../../helpers/instance/instance-harness.ts'
import { type ModuleServer, startModules } from '../../helpers/instance/module-server.ts'

const FILES = {
  'tools/ask.ts': `
    import { defineTool } from 'mcp-hosting/server'
    export default defineTool({ description: 'Asks', handler: async (_args, context) => (await context.sample('?')).text })`,
  'tools/pid.ts': `
    import { defineTool } from 'mcp-hosting/server'
    export default defineTool({ description: 'Where', handler: (_args, context) => { context.announce('tools'); return String(process.pid) } })`,
}
const TENANT = {
  id: 'dep_1',
  stateKey: randomBytes(32).toString('base64'),
  hasSiblings: true,
  allowedHosts: ['shop.test'],
}

/** Both instances serve the host name of their deployment. */
const HOST = { host: 'shop.test' }

let server: ModuleServer
let sibling: InstanceHarness
let here: string
let there: InstanceAddress
beforeAll(async () => {
  server = await startModules(FILES, { tenant: TENANT })
  here = server.address.url
  sibling = new InstanceHarness()
  there = await sibling.serve(server.artifact, TENANT, server.bundle)
})
afterAll(() => Promise.all([server.harness.stop(), sibling.stop()]))

async function begin(url: string): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: { sampling: {} } }
  const { headers } = await post(url, rpc('initialize', params), HOST)
  return {
    ...HOST,
    'mcp-session-id': String(headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  }
}

const call = (url: string, name: string, headers: Record<string, string>) =>
  post(url, rpc('tools/call', { name }), headers)
const pidOf = async (url: string, headers: Record<string, string>) =>
  Number((await call(url, 'pid', headers)).json.result.content[0].text)

test('the instance that started a session answers each of its requests, whichever instance the request reaches', async () => {
  const [mine, other] = [await begin(here), await begin(there.url)]
  expect(await pidOf(there.url, mine)).toBe(server.harness.pid)
  expect(await pidOf(here, mine)).toBe(server.harness.pid)
  expect(await pidOf(here, other)).toBe(sibling.pid)
})

test('a client can get and answer a question through another instance', async () => {
  const headers = await begin(here)
  const events = readEvents(await open(there.url, { body: rpc('tools/call', { name: 'ask' }), headers }))
  const next = async () => {
    for (;;) {
      const event = (await events.next())!
      if (event.json) return event.json
    }
  }
  const { id } = await next()
  const result = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }
  expect((await post(there.url, { jsonrpc: '2.0', id, result }, headers)).status).toBe(202)
  expect((await next()).result.content[0].text).toBe('yes')
})

test('a GET stream through another instance receives messages of the session', async () => {
  const headers = await begin(here)
  const events = readEvents(await open(there.url, { headers: { ...headers, accept: 'text/event-stream' } }))
  await pidOf(there.url, headers)
  let event = await events.next()
  while (event && !event.json) event = await events.next()
  expect(event!.json.method).toBe('notifications/tools/list_changed')
  events.close()
})

test('a draining instance still gets the answer that its call waits for, and then another instance takes over', async () => {
  const leaving = new InstanceHarness()
  const address = await leaving.serve(server.artifact, TENANT, server.bundle)
  const headers = await begin(address.url)
  const events = readEvents(await open(address.url, { body: rpc('tools/call', { name: 'ask' }), headers }))
  let event = await events.next()
  while (event && !event.json) event = await events.next()
  leaving.send({ type: 'drain', tenantId: TENANT.id })
  const result = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }
  await post(here, { jsonrpc: '2.0', id: event!.json.id, result }, headers)
  expect((await events.next())!.json.result.content[0].text).toBe('yes')
  expect(await pidOf(here, headers)).toBe(server.harness.pid)
  await leaving.stop()
})

test('sessions that a replaced release no longer has continue on the next release and are not relayed back', async () => {
  const replaced = new InstanceHarness()
  const address = await replaced.serve(server.artifact, TENANT, server.bundle)
  const [asked, ended] = [await begin(address.url), await begin(address.url)]
  const events = readEvents(
    await open(address.url, { body: rpc('tools/call', { name: 'ask' }), headers: asked }),
  )
  let event = await events.next()
  while (event && !event.json) event = await events.next()
  replaced.send({ type: 'drain', tenantId: TENANT.id, changed: [] })
  await replaced.message('draining')
  expect(await pidOf(here, ended)).toBe(server.harness.pid)
  const result = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }
  expect((await post(here, { jsonrpc: '2.0', id: event!.json.id, result }, asked)).status).toBe(202)
  expect((await events.next())!.json.result.content[0].text).toBe('yes')
  await replaced.stop()
})

test('a session that was taken over can still receive server requests', async () => {
  const gone = new InstanceHarness()
  const address = await gone.serve(server.artifact, TENANT, server.bundle)
  const headers = await begin(address.url)
  await gone.stop()
  const events = readEvents(await open(here, { body: rpc('tools/call', { name: 'ask' }), headers }))
  let event = await events.next()
  while (event && !event.json) event = await events.next()
  expect(event!.json.method).toBe('sampling/createMessage')
  const result = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }
  await post(here, { jsonrpc: '2.0', id: event!.json.id, result }, headers)
  expect((await events.next())!.json.result.content[0].text).toBe('yes')
})

test("a session of a stopped instance is taken over, and another process on the instance's port sees no request", async () => {
  const gone = new InstanceHarness()
  const address = await gone.serve(server.artifact, TENANT, server.bundle)
  const headers = await begin(address.url)
  await gone.stop()
  const seen: Buffer[] = []
  const claim = headers['mcp-session-id']!.split('.')[2]!
  const port = Number.parseInt(claim.split('-')[2]!, 36)
  const stranger = createServer(socket =>
    socket.on('data', (bytes: Buffer) => seen.push(bytes)).on('error', () => {}),
  )
  await new Promise<void>(resolve => stranger.listen(port, '127.0.0.1', resolve))
  // A correct reply, except for the key.
  const welcome = Buffer.concat([randomBytes(PROOF_BYTES), Buffer.of(REPLY.accepted)])
  stranger.on('connection', socket => socket.once('data', () => socket.write(welcome)))
  expect(await pidOf(here, headers)).toBe(server.harness.pid)
  expect(Buffer.concat(seen).length).toBe(32)
  await new Promise(resolve => stranger.close(resolve))
})
