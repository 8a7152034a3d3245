import { once } from 'node:events'
import { Agent } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
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
import type { InstanceHarness } from '../../helpers/instance/instance-harness.ts'
import { echo, ScriptedInstances } from './scripted-instances.ts'

const instances = new ScriptedInstances()
const { start } = instances

afterEach(() => instances.close())

const exit = (harness: InstanceHarness) => once(harness.child, 'exit')

describe('an instance process', () => {
  test('an instance process reports when it is ready and when it serves', async () => {
    const harness = start()
    await harness.message('ready')
    const address = await harness.serve(createArtifact())
    const { prepareMs } = await harness.message('serving')
    expect(prepareMs).toBeGreaterThanOrEqual(0)
    expect((await echo(address, 'hi')).status).toBe(200)
  })

  test('an instance process keeps its tenants separate', async () => {
    const harness = start()
    const one = await harness.serve(createArtifact())
    const two = await harness.serve(createArtifact())
    const session = await beginSession(one.url)
    expect((await post(two.url, rpc('ping'), session)).status).toBe(404)
    const { host } = new URL(one.url)
    expect((await send(`${two.origin}/health`, { headers: { host } })).status).toBe(403)
  })

  test('confirms every handed-over connection, even one that has closed', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    await echo(address, 'hi')
    expect((await harness.message('took')).seq).toBe(1)
    harness.send({ type: 'connection', tenantId: address.tenant.id, seq: 77 })
    await harness.message('took', ({ seq }) => seq === 77)
    expect((await echo(address, 'still here')).status).toBe(200)
  })

  test('answers a request whose first bytes were read before the connection was handed over', async () => {
    const harness = start()
    const { tenant } = await harness.serve(createArtifact())
    const listener = createServer({ pauseOnConnect: true }, socket => {
      const head = Buffer.from(`GET /health HTTP/1.1\r\nHost: ${tenant.allowedHosts[0]}\r\n`).toString(
        'base64',
      )
      harness.send({ type: 'connection', tenantId: tenant.id, seq: 1, head }, socket)
    }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const client = connect((listener.address() as AddressInfo).port, '127.0.0.1')
    client.write('Connection: close\r\n\r\n')
    let received = ''
    for await (const chunk of client.setEncoding('utf8')) received += chunk
    listener.close()
    expect(received).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(received).toContain('"status":"ok"')
  })

  test('an instance process survives connections that break before or after they arrive', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    const port = Number(new URL(address.url).port)
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const socket = connect(port, '127.0.0.1')
        await once(socket, 'connect')
        if (index % 2) socket.write('POST /mcp HTTP/1.1\r\n')
        socket.resetAndDestroy()
      }),
    )
    expect((await echo(address, 'hi')).status).toBe(200)
    await harness.message('metrics', ({ tenants }) => tenants[0]!.connections === 0)
  })

  test('refuses a connection for a retired tenant with 503 and Retry-After: 0', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    harness.send({ type: 'retire', tenantId: address.tenant.id })
    await harness.message('retired')
    const answer = await echo(address, 'hi')
    expect([answer.status, answer.headers['retry-after'], answer.json.id]).toEqual([503, '0', null])
  })

  test('an instance process reports why it cannot serve an artifact', async () => {
    const harness = start()
    const broken = createArtifact({ server: { name: 'broken', version: '1' } })
    await expect(harness.serve(broken)).rejects.toThrow('not served: this artifact is broken')
    expect((await echo(await harness.serve(createArtifact()), 'x')).status).toBe(200)
  })

  test.each(['SIGTERM', 'shutdown', 'disconnect'])(
    'an instance process stops on %s and closes its connections',
    async how => {
      const harness = start()
      const address = await harness.serve(createArtifact())
      const session = await beginSession(address.url)
      const stream = await open(address.url, { headers: { ...session, accept: 'text/event-stream' } })
      const closed = new Promise(resolve => stream.on('error', resolve).on('close', resolve))
      stream.resume()
      const exited = exit(harness)
      if (how === 'SIGTERM') harness.child.kill('SIGTERM')
      else if (how === 'shutdown') harness.send({ type: 'shutdown' })
      else harness.child.disconnect()
      expect((await exited)[0]).toBe(0)
      await closed
    },
  )

  test('an instance process does not stop on Ctrl-C, which the daemon handles', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    harness.child.kill('SIGINT')
    expect((await echo(address, 'hi')).status).toBe(200)
  })
})

describe('draining', () => {
  test('a draining instance closes each connection after its next answer', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect((await echo(address, 'a', agent)).headers.connection).toBe('keep-alive')
    harness.send({ type: 'drain', tenantId: address.tenant.id })
    await expect.poll(async () => (await echo(address, 'b', agent)).headers.connection).toBe('close')
    await harness.message('drained')
    agent.destroy()
  })

  test('draining finishes immediately without connections, and for an unknown tenant', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    harness.send({ type: 'drain', tenantId: address.tenant.id })
    await harness.message('drained')
    harness.send({ type: 'drain', tenantId: 'nobody' })
    await harness.message('drained', ({ tenantId }) => tenantId === 'nobody')
  })

  test('draining waits for running requests and ends endless streams', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    const session = await beginSession(address.url)
    const agent = new Agent()
    const get = await open(address.url, { headers: { ...session, accept: 'text/event-stream' }, agent })
    const listen = await open(address.url, {
      body: modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['test://one'] } }),
      headers: modernHeaders('subscriptions/listen'),
    })
    const steps = await open(address.url, {
      body: rpc('tools/call', { name: 'in-steps', arguments: { waitMs: 30 } }),
      headers: session,
    })
    harness.send({ type: 'drain', tenantId: address.tenant.id })
    const events = readEvents(listen)
    await events.next()
    expect((await events.next())!.json.result.resultType).toBe('complete')
    expect(await readEvents(get).next()).toBeUndefined()
    let text = ''
    for await (const chunk of steps) text += chunk
    expect(text).toContain('"done"')
    await harness.message('drained')
  })

  test('draining is visible in /health', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    harness.send({ type: 'drain', tenantId: address.tenant.id })
    expect((await send(`${address.origin}/health`)).json.status).toBe('draining')
  })

  test('retiring a tenant cuts off its running requests', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    const hanging = postModern(address.url, 'tools/call', { name: 'hang' }).catch(() => 'cut')
    await harness.message('metrics', ({ tenants }) => tenants[0]!.activeRequests > 0)
    harness.send({ type: 'retire', tenantId: address.tenant.id })
    await harness.message('retired')
    expect(await hanging).toBe('cut')
  })
})

describe('metrics', () => {
  test('metrics contain the total requests and errors of a tenant, and its current sessions and connections', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    const session = await beginSession(address.url)
    await post(address.url, rpc('ping'), session)
    await post(address.url, rpc('tools/call', { name: 'throw' }), session)
    await echo(address, 'x')
    const { memoryBytes, tenants } = await harness.message(
      'metrics',
      message => message.tenants[0]?.requests === 4 && message.tenants[0].connections === 0,
    )
    expect(memoryBytes).toBeGreaterThan(1_000_000)
    expect(tenants[0]).toMatchObject({
      tenantId: address.tenant.id,
      requests: 4,
      errors: 1,
      sessions: 1,
      activeRequests: 0,
      connections: 0,
    })
    expect(Math.abs(tenants[0]!.lastRequestAt - Date.now())).toBeLessThan(60_000)
  })

  test('metrics are complete before a tenant is reported as retired', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    for (let calls = 0; calls < 5; calls++) await echo(address, 'x')
    harness.send({ type: 'retire', tenantId: address.tenant.id })
    await harness.message('retired')
    const reports = harness.received.flatMap(message => (message.type === 'metrics' ? message.tenants : []))
    expect(reports.at(-1)).toMatchObject({ tenantId: address.tenant.id, requests: 5 })
  })

  test('metrics contain only tenants that changed', async () => {
    const harness = start()
    const [busy] = [await harness.serve(createArtifact()), await harness.serve(createArtifact())]
    await echo(busy, 'x')
    const { tenants } = await harness.message('metrics')
    expect(tenants.map(({ tenantId }) => tenantId)).toEqual([busy.tenant.id])
  })
})
