import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { logLine, writeLines } from '../../helpers/daemon/log-lines.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
let mcpId: string
let development: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  mcpId = await buildServer(daemon, echoServer('echo', { env: [{ name: 'API_KEY', required: false }] }))
  const { deployment_id, url } = await deploy(daemon, mcpId, 'development', {
    env_vars: { API_KEY: 'hunter2-secret' },
  })
  development = deployment_id
  await callTool(url, 'say', { text: 'hello' })
  await callTool(url, 'say', { text: 'the hunter2-secret' })
  await callTool(url, 'say', { text: 'x'.repeat(20_000) })
  await callTool(url, 'say', {})
  await vi.waitFor(async () => expect(await calls(`deployment=${development}`)).toHaveLength(4))
})

afterAll(() => daemon.close())

const list = async (query: string) => (await daemon.api('GET', `/api/requests?${query}`)).body
const calls = async (query: string) => (await list(`method=tools/call&${query}`)).items
const read = async (id: string) => (await daemon.api('GET', `/api/requests/${id}`)).body

describe('records', () => {
  test('a record names the server, the session, the tool, sizes and the outcome', async () => {
    const [failed, long, secret, first] = await calls(`deployment=${development}`)
    expect(first).toMatchObject({
      server: 'echo',
      environment: 'development',
      deploymentId: development,
      mcpId,
      version: 1,
      method: 'tools/call',
      tool: 'say',
      sessionId: expect.stringMatching(/^.{8}$/),
      durationMs: expect.any(Number),
      requestBytes: expect.any(Number),
      outcome: 'ok',
      reason: null,
      bodies: 'kept',
      isReplayable: true,
    })
    expect(failed).toMatchObject({ outcome: 'error', reason: expect.stringContaining('text') })
    expect(long).toMatchObject({ bodies: 'truncated', isReplayable: false })
    expect(secret).toMatchObject({ bodies: 'kept', isReplayable: false })
  })

  test('a record contains the arguments and the answer of a call without secrets', async () => {
    const [, long, secret, first] = await calls(`deployment=${development}`)
    expect(await read(first.id)).toMatchObject({
      ...first,
      arguments: { text: 'hello' },
      answer: { jsonrpc: '2.0', result: { content: [{ type: 'text', text: 'You said hello' }] } },
    })
    const hidden = await read(secret.id)
    expect(JSON.stringify(hidden)).not.toContain('hunter2-secret')
    expect(hidden.arguments).toEqual({ text: 'the [redacted]' })
    expect((await read(long.id)).arguments).toMatch(/^\{"text":"x+… \(\d+ more characters\)$/)
  })

  test('production keeps no bodies unless record_bodies is on', async () => {
    for (const record_bodies of [undefined, true]) {
      const { deployment_id, url } = await deploy(daemon, mcpId, 'production', { record_bodies })
      await callTool(url, 'say', { text: 'hello' })
      await expect.poll(async () => (await calls(`deployment=${deployment_id}`)).length).toBe(1)
      const [{ id, bodies }] = await calls(`deployment=${deployment_id}`)
      expect(bodies).toBe(record_bodies ? 'kept' : 'none')
      expect((await read(id)).arguments).toEqual(record_bodies ? { text: 'hello' } : undefined)
      const { body: log } = await daemon.api('GET', `/api/lambda-deploy/${deployment_id}/logs?tool=say`)
      expect(Object.keys(log.lines[0])).not.toContain('answer')
    }
  })

  test('a refused request is recorded with its HTTP status', async () => {
    const { url } = (await daemon.api('GET', `/v1/deploy/${development}/status`)).body.data
    await fetch(url, {
      method: 'POST',
      headers: { accept: 'text/plain', 'content-type': 'application/json' },
    })
    const refused = async () => (await list(`deployment=${development}&outcome=refused`)).items
    await expect.poll(async () => (await refused()).length).toBe(1)
    expect(await refused()).toMatchObject([
      { outcome: 'refused', status: 406, durationMs: null, reason: expect.stringMatching('Accept') },
    ])
  })

  test('requests to the preview are recorded with the environment "preview"', async () => {
    const { url } = (await daemon.api('GET', `/v1/build/${mcpId}`)).body.data
    await callTool(url, 'say', { text: 'hello' })
    await expect
      .poll(() => calls('server=echo&environment=preview'))
      .toMatchObject([{ environment: 'preview', deploymentId: null, version: null, mcpId }])
  })
})

describe('a damaged or hostile log', () => {
  test('records of a killed instance remain and are followed by those of the next instance', async () => {
    const mcpId = await buildServer(daemon, echoServer('killed'))
    const { deployment_id, url } = await deploy(daemon, mcpId, 'production')
    const query = `deployment=${deployment_id}`
    const instances = async () =>
      (await daemon.api('GET', `/api/lambda-deploy/${deployment_id}/health`)).body.instances
    await callTool(url, 'say', { text: 'before' })
    await expect.poll(async () => (await calls(query)).length).toBe(1)
    const [killed] = await instances()
    process.kill(killed.pid, 'SIGKILL')
    await expect.poll(async () => (await instances())[0]?.pid ?? killed.pid).not.toBe(killed.pid)
    await callTool(url, 'say', { text: 'after' })
    await daemon.restart()
    const found = await calls(query)
    expect(found).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok', instance: killed.id }])
    expect(found[0].instance).not.toBe(killed.id)
  })

  test('lists each valid line of a log as one record and skips damaged lines', async () => {
    const { deployment_id } = await deploy(daemon, await buildServer(daemon, echoServer('torn')), 'staging')
    const call = { stream: 'mcp', method: 'tools/call', tool: 'say', outcome: 'ok', ms: 1 } as const
    const folder = join(daemon.home.logs, deployment_id)
    const hostile = '\u001b[2J<script>\u202e'
    writeLines(
      folder,
      'inst_a',
      logLine(1, 'tools/call', { ...call, tool: hostile, requestId: hostile }),
      logLine(2, 'tools/call', { ...call, ms: 'x', tool: 7, caller: {} } as never),
      logLine(3, 'tools/call', { ...call, tool: 7, caller: {}, answer: 'x', at: 'y' } as never),
      logLine(3, 'tools/call', { ...call, timestamp: 'yesterday' }),
      logLine(3, 'tools/call', { ...call, timestamp: '2026-99-99T00:00:00.000Z' }),
      logLine(4, 'numbers', { ...call, ms: 1e300, bytes: 0.5, requestBytes: -1e300, code: 2 ** 60 }),
    )
    // A full disk cut off this line, and a kill cut off the last one.
    appendFileSync(
      join(folder, 'inst_a.log'),
      '{"timestamp":"1970-01-01T00:00:04.000Z","stream":"mcp","meth\n',
    )
    appendFileSync(join(folder, 'inst_a.log'), JSON.stringify(logLine(5, 'tools/call', call)))
    const { items } = await list(`deployment=${deployment_id}&until=2000-01-01T00:00:00Z`)
    expect(items).toMatchObject([
      { durationMs: null, responseBytes: null, requestBytes: null, code: null },
      { tool: null, caller: null, bodies: 'truncated' },
      { tool: hostile, requestId: hostile },
    ])
    for (const { id } of items) expect((await read(id)).id).toBe(id)
    const archive = await daemon.api('GET', `/api/requests/export?deployment=${deployment_id}`)
    expect(archive.body.log.entries).toHaveLength(3)
    const answer = await daemon.api('POST', `/api/requests/${items[0].id}/replay`)
    expect(answer.status).toBe(400)
  })
})

describe('lists', () => {
  test.each([
    ['outcome=failed&tool=say', 1],
    ['outcome=ok&tool=say', 3],
    ['grep=YOU SAID HELLO', 1],
    ['grep=hunter2', 0],
    ['grep=outcome', 0],
    ['grep=arguments', 1],
    ['id=req_none', 0],
    ['caller=none', 0],
    ['method=initialize', 4],
    ['kind=call&method=initialize', 0],
    ['kind=call&outcome=ok', 3],
    ['kind=call&outcome=error', 1],
    ['until=2026-01-01T00:00:00Z', 0],
  ])('filters requests by %s', async (query, count) => {
    expect((await list(`deployment=${development}&${query}`)).items).toHaveLength(count)
  })

  test('filters requests by a prefix of the id', async () => {
    const [{ id }] = await calls(`deployment=${development}`)
    const { items } = await list(`id=${id.slice(0, id.indexOf('.inst_'))}`)
    expect(items.map((item: { id: string }) => item.id)).toContain(id)
  })

  test.each(['server=none', 'deployment=dep_none'])('the filter %s returns an empty page', async query => {
    expect(await list(query)).toEqual({ items: [], nextToken: null })
  })

  test('filters requests by the short or complete id of a session', async () => {
    const [{ sessionId }] = await calls(`deployment=${development}`)
    for (const id of [sessionId, `inst_x.${sessionId}rest.3`])
      expect((await list(`deployment=${development}&sessionId=${id}`)).items.length).toBeGreaterThan(0)
  })

  test('pages of one record return each record once, newest first', async () => {
    const whole = await list(`deployment=${development}`)
    const ids: string[] = []
    let nextToken: string | null = ''
    do {
      const page = await list(`deployment=${development}&limit=1${nextToken && `&nextToken=${nextToken}`}`)
      ids.push(...page.items.map(({ id }: { id: string }) => id))
      nextToken = page.nextToken
    } while (nextToken)
    expect(ids).toEqual(whole.items.map(({ id }: { id: string }) => id))
  })

  test('later pages contain no request that was made after the first page was read', async () => {
    const folder = join(daemon.home.logs, development)
    const call = { stream: 'mcp', method: 'ping', outcome: 'ok', ms: 1 } as const
    writeLines(folder, 'inst_a', logLine(1000, 'ping', call), logLine(1002, 'ping', call))
    writeLines(folder, 'inst_b', logLine(1001, 'ping', call))
    const query = `deployment=${development}&method=ping&until=2000-01-01T00:00:00Z&limit=1`
    const first = await list(query)
    writeLines(folder, 'inst_c', logLine(1003, 'ping', call))
    const second = await list(`${query}&nextToken=${first.nextToken}`)
    const third = await list(`${query}&nextToken=${second.nextToken}`)
    const seconds = [first, second, third].map(({ items }) => Date.parse(items[0].timestamp) / 1000)
    expect(seconds).toEqual([1002, 1001, 1000])
  })

  test('a follower gets a request when it is answered', async () => {
    const { url } = (await daemon.api('GET', `/v1/deploy/${development}/status`)).body.data
    const since = new Date().toISOString()
    const response = await fetch(`${daemon.url}/api/requests?server=echo&tool=say&since=${since}`, {
      headers: { authorization: `Bearer ${daemon.ownerKey}`, accept: 'text/event-stream' },
    })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    await callTool(url, 'say', { text: 'followed' })
    let text = ''
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += next.value
      if (text.includes('"outcome"')) break
    }
    await reader.cancel()
    expect(text).toMatch(/"tool":"say".*"outcome":"ok"/)
  })

  test('exports requests as an HTTP archive with bodies, oldest first', async () => {
    const { body } = await daemon.api(
      'GET',
      `/api/requests/export?deployment=${development}&tool=say&limit=1000`,
    )
    const { entries, version } = body.log
    expect(version).toBe('1.2')
    expect(entries[0]).toMatchObject({
      time: expect.any(Number),
      request: {
        method: 'POST',
        postData: { text: expect.stringContaining('"arguments":{"text":"hello"}') },
      },
      response: { status: 200, content: { text: expect.stringContaining('You said hello') } },
      _record: { tool: 'say' },
    })
  })

  test.each([
    ['an invalid token', '?nextToken=none', 400],
    ['an unknown outcome', '?outcome=lost', 400],
  ])('%s returns 400', async (_what, query, status) => {
    expect((await daemon.api('GET', `/api/requests${query}`)).status).toBe(status)
  })

  test.each(['req_0', 'req_0.1.inst_a.dep_none', 'req_1.1.inst_a.dep_none', '..%2Fdaemon'])(
    'the id %s is rejected',
    async id => {
      expect((await daemon.api('GET', `/api/requests/${id}`)).status).toBeGreaterThanOrEqual(400)
    },
  )

  test('an id that points into the middle of a line returns 404', async () => {
    const [{ id }] = await calls(`deployment=${development}`)
    const inside = id.replace(
      /^req_([^.]+)/,
      (_all: string, offset: string) => `req_${(Number.parseInt(offset, 36) + 5).toString(36)}`,
    )
    expect((await daemon.api('GET', `/api/requests/${inside}`)).status).toBe(404)
  })
})
