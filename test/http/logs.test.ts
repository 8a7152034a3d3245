import { get } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LogLine } from '../../src/shared/instance-protocol.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../helpers/daemon.ts'
import { writeLines } from '../helpers/log-lines.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
let id: string

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`

beforeAll(async () => {
  daemon = await startTestDaemon()
  // Stopped, so that only what is written below is in its log.
  id = (await deploy(daemon, await buildServer(daemon), 'staging')).deployment_id
  await daemon.api('POST', `/v1/deploy/${id}/stop`)
  write({ timestamp: at(1), level: 'info', stream: 'server', message: 'one' })
  write({ timestamp: at(2), level: 'error', stream: 'stderr', message: 'two went wrong' })
  write({ timestamp: at(3), level: 'info', stream: 'mcp', message: 'three' })
})

afterAll(() => daemon.close())

const write = (line: LogLine) => writeLines(join(daemon.home.logs, id), 'inst_test', line)
const logs = async (query = '') => (await daemon.api('GET', `/api/lambda-deploy/${id}/logs${query}`)).body
const messages = (page: { lines: LogLine[] }) =>
  page.lines
    .map(({ message }) => message)
    .filter(message => ['one', 'two went wrong', 'three'].includes(message))

describe('a page of log lines', () => {
  test('has the documented fields', async () => {
    const page = await logs('?until=2026-02-01T00:00:00Z')
    expect(page).toMatchObject({ id, status: 'stopped', nextToken: null })
    expect(page.lines[0]).toEqual({
      timestamp: at(1),
      level: 'info',
      stream: 'server',
      message: 'one',
      phase: 'RUN',
      instance: 'inst_test',
    })
  })

  test('is filtered by tool, session, request and instance', async () => {
    const call = { level: 'info', stream: 'mcp', method: 'tools/call', outcome: 'ok', ms: 1 } as const
    const ids = { requestId: '7', sessionId: 'Dj93afax' }
    write({ ...call, ...ids, timestamp: at(4), tool: 'add', message: 'tools/call add' })
    write({ ...call, timestamp: at(5), tool: 'addition', requestId: '8', message: 'tools/call addition' })
    const found = async (query: string) => (await logs(query)).lines.map(({ message }: LogLine) => message)
    expect(await found('?tool=add')).toEqual(['tools/call add'])
    for (const session of ['Dj93afax', 'inst_test.Dj93afaxUldU9wX6.3tov1by-0--dep_x.ubCE3Wwj'])
      expect(await found(`?sessionId=${session}`)).toEqual(['tools/call add'])
    expect(await found('?requestId=8')).toEqual(['tools/call addition'])
    expect(await found('?instance=inst_test&tool=add&requestId=8')).toEqual([])
    expect((await found('?instance=inst_test')).length).toBeGreaterThanOrEqual(5)
    expect(await found('?instance=inst_other')).toEqual([])
  })

  test('is filtered by level, text and time', async () => {
    expect(messages(await logs('?level=error'))).toEqual(['two went wrong'])
    expect(messages(await logs('?grep=wrong'))).toEqual(['two went wrong'])
    expect(messages(await logs(`?since=${at(2)}&until=2026-02-01T00:00:00Z`))).toEqual([
      'two went wrong',
      'three',
    ])
    expect(messages(await logs('?until=2026-01-01T01:00:02%2B01:00&tail=1'))).toHaveLength(1)
  })

  test('of a phase that there is none of is empty', async () => {
    expect(messages(await logs('?phase=RUN&until=2026-02-01T00:00:00Z'))).toHaveLength(3)
    expect((await logs('?phase=PUSH')).lines).toEqual([])
  })

  test('leads to the next one', async () => {
    const first = await logs('?limit=2&until=2026-02-01T00:00:00Z')
    const second = await logs(`?limit=2&until=2026-02-01T00:00:00Z&nextToken=${first.nextToken}`)
    expect([...messages(first), ...messages(second)]).toEqual(['one', 'two went wrong', 'three'])
  })

  test('of an unknown token or moment is refused', async () => {
    for (const query of ['?nextToken=%00', '?since=yesterday', '?level=loud', '?limit=0', '?limit=10001'])
      expect((await daemon.api('GET', `/api/lambda-deploy/${id}/logs${query}`)).status, query).toBe(400)
  })
})

describe('following', () => {
  test('sends each line as an event as it is written, and ends with the client', async () => {
    const stream = follow(`/api/lambda-deploy/${id}/logs?tail=1`)
    expect(await stream.next()).toMatchObject({ message: expect.any(String), phase: 'RUN' })
    write({ timestamp: new Date().toISOString(), level: 'info', stream: 'server', message: 'four' })
    let line = await stream.next()
    while (line?.message !== 'four') line = await stream.next()
    stream.close()
  })

  test('of what is unknown is 404, no stream', async () => {
    const answer = await daemon.api('GET', '/api/lambda-deploy/dep_none/logs', {
      headers: { accept: 'text/event-stream' },
    })
    expect(answer.status).toBe(404)
  })

  test('ends when the daemon does', async () => {
    const stream = follow(`/api/lambda-deploy/${id}/logs`)
    await stream.opened
    await daemon.restart()
    expect(await stream.over).toBe('ended')
  })
})

test('a tool call leaves a line that names the tool', async () => {
  const { deployment_id, url } = await deploy(
    daemon,
    await buildServer(daemon, echoServer('logged')),
    'production',
  )
  await callTool(url, 'say', { text: 'hello' })
  await expect
    .poll(async () => {
      const { body } = await daemon.api('GET', `/api/lambda-deploy/${deployment_id}/logs`)
      return body.lines.filter((line: LogLine) => line.tool === 'say')
    })
    .toMatchObject([{ stream: 'mcp', method: 'tools/call', outcome: 'ok', level: 'info' }])
})

test('the log of a deployment tells its build, its life and its calls in one stream', async () => {
  const mcpId = await buildServer(daemon, echoServer('told'))
  const { deployment_id, url } = await deploy(daemon, mcpId, 'production')
  await callTool(url, 'say', { text: 'hello' })
  await daemon.api('POST', `/v1/deploy/${deployment_id}/stop`)
  const told = async (query = '') => {
    const { body } = await daemon.api('GET', `/api/lambda-deploy/${deployment_id}/logs${query}`)
    return body.lines.map(({ phase, message }: LogLine) => `${phase} ${message}`)
  }
  const expected = [
    new RegExp(`^BUILD build ${mcpId} of told begins`),
    /^BUILD built in \d+ ms: 1 tool$/,
    /^RUN instance \S+ is ready after \d+ ms$/,
    new RegExp(`^RUN build ${mcpId} is deployed to production after \\d+ ms$`),
    /^RUN tools\/call say$/,
    /^RUN the deployment is stopped$/,
  ].map(pattern => expect.stringMatching(pattern))
  await expect.poll(() => told(), { timeout: 10_000 }).toEqual(expect.arrayContaining(expected))
  const all = await told()
  expect(all.slice(0, 2)).toEqual(expected.slice(0, 2))
  expect(await told('?phase=build')).toEqual(all.slice(0, 2))
  expect(await told('?phase=RUN')).toEqual(all.slice(2))
  expect(await told('?tail=1')).toEqual(all.slice(-1))
  const paged: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const { body } = await daemon.api(
      'GET',
      `/api/lambda-deploy/${deployment_id}/logs?limit=1${next && `&nextToken=${next}`}`,
    )
    paged.push(...body.lines.map(({ phase, message }: LogLine) => `${phase} ${message}`))
    next = body.nextToken
  }
  expect(paged).toEqual(all)
})

test('a failed build tells why in its log', async () => {
  const program = { type: 'stdio', command: '/nowhere/to-be-found' }
  const broken = { name: 'broken', template: 'custom', program }
  const { body: built } = await daemon.api('POST', '/v1/build', { body: broken })
  const id = built.data?.mcp_id
  expect(built.data).toMatchObject({ status: 'failed' })
  const { body } = await daemon.api('GET', `/api/lambda-deploy/${id}/logs?level=error`)
  expect(body.lines.map(({ message }: LogLine) => message).join('\n')).toContain(built.data.error.message)
})

test('arguments of a call are in its line in development, and nowhere else', async () => {
  const mcpId = await buildServer(daemon, echoServer('arguing'))
  const lineOf = async (environment: string) => {
    const { deployment_id, url } = await deploy(daemon, mcpId, environment)
    await callTool(url, 'say', { text: 'hello', password: 'hunter2' })
    const query = '?tool=say&level=info'
    const found = async () => {
      const { body } = await daemon.api('GET', `/api/lambda-deploy/${deployment_id}/logs${query}`)
      return body.lines as LogLine[]
    }
    await expect.poll(found, { timeout: 10_000 }).toHaveLength(1)
    return (await found())[0]
  }
  expect(await lineOf('development')).toMatchObject({
    arguments: { text: 'hello', password: '[redacted]' },
    method: 'tools/call',
    bytes: expect.any(Number),
    ms: expect.any(Number),
  })
  expect(await lineOf('staging')).not.toHaveProperty('arguments')
  expect(await lineOf('production')).not.toHaveProperty('arguments')
})

test('a stream that broke off goes on after the last line that its client got', async () => {
  const first = follow(`/api/lambda-deploy/${id}/logs?since=${at(0)}&until=2026-01-01T00:00:04Z`)
  expect((await first.next())!.message).toBe('one')
  const after = first.firstId()
  first.close()
  const second = follow(`/api/lambda-deploy/${id}/logs?until=2026-01-01T00:00:04Z`, {
    'last-event-id': after,
  })
  expect([(await second.next())!.message, (await second.next())!.message]).toEqual([
    'two went wrong',
    'three',
  ])
  second.close()
  const headers = { accept: 'text/event-stream', 'last-event-id': 'made-up' }
  expect((await daemon.api('GET', `/api/lambda-deploy/${id}/logs`, { headers })).status).toBe(400)
})

/** A client of the event stream: the `data` of one event after the other, undefined at its end. */
function follow(path: string, more: Record<string, string> = {}) {
  const ids: string[] = []
  const waiting: ((line: LogLine | undefined) => void)[] = []
  const arrived: (LogLine | undefined)[] = []
  const opened = Promise.withResolvers<void>()
  const over = Promise.withResolvers<'ended' | 'cut'>()
  void over.promise.then(() => take(undefined))
  const take = (line: LogLine | undefined) => {
    const next = waiting.shift()
    if (next) next(line)
    else arrived.push(line)
  }
  const request = get(
    `${daemon.url}${path}`,
    {
      agent: false,
      headers: { authorization: `Bearer ${daemon.ownerKey}`, accept: 'text/event-stream', ...more },
    },
    response => {
      let rest = ''
      response.on('data', chunk => {
        opened.resolve()
        const events = (rest + chunk).split('\n\n')
        rest = events.pop()!
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)
          ids.push(...event.split('\n').flatMap(line => (line.startsWith('id: ') ? [line.slice(4)] : [])))
          if (data) take(JSON.parse(data[1]!))
        }
      })
      response.on('error', () => over.resolve('cut'))
      response.on('end', () => over.resolve('ended'))
    },
  )
  request.on('error', opened.reject)
  return {
    opened: opened.promise,
    /** Whether the daemon ended the stream, or whoever lost patience. */
    over: over.promise,
    /** Of the first event. */
    firstId: () => ids[0]!,
    next: () =>
      new Promise<LogLine | undefined>(resolve => {
        if (arrived.length > 0) resolve(arrived.shift())
        else waiting.push(resolve)
      }),
    close: () => request.destroy(),
  }
}
