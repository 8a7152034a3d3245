import { get } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LogLine } from '../../../src/shared/instances/log-line.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { writeLines } from '../../helpers/daemon/log-lines.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
let id: string

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`

beforeAll(async () => {
  daemon = await startTestDaemon()
  // Stopped, so that the daemon adds no lines to the log.
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
  test('a page of log lines has the documented fields', async () => {
    const page = await logs('?until=2026-02-01T00:00:00Z')
    expect(page).toMatchObject({ id, status: 'stopped', nextToken: null })
    expect(page.lines[0]).toEqual({
      timestamp: at(1),
      level: 'info',
      stream: 'server',
      message: 'one',
      phase: 'RUN',
      instance: 'inst_test',
      position: '1.0',
    })
    const positions = page.lines.map(({ position }: { position: string }) => position)
    expect(new Set(positions).size).toBe(3)
    expect((await logs('?tail=3&until=2026-02-01T00:00:00Z')).lines).toEqual(page.lines)
  })

  test('filters log lines by tool, session, request and instance', async () => {
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

  test('filters log lines by level, text and time', async () => {
    expect(messages(await logs('?level=error'))).toEqual(['two went wrong'])
    expect(messages(await logs('?grep=wrong'))).toEqual(['two went wrong'])
    expect(messages(await logs(`?since=${at(2)}&until=2026-02-01T00:00:00Z`))).toEqual([
      'two went wrong',
      'three',
    ])
    expect(messages(await logs('?until=2026-01-01T01:00:02%2B01:00&tail=1'))).toHaveLength(1)
  })

  test('a phase without lines returns an empty page', async () => {
    expect(messages(await logs('?phase=RUN&until=2026-02-01T00:00:00Z'))).toHaveLength(3)
    expect((await logs('?phase=PUSH')).lines).toEqual([])
  })

  test('a page of log lines contains the token for the next page', async () => {
    const first = await logs('?limit=2&until=2026-02-01T00:00:00Z')
    const second = await logs(`?limit=2&until=2026-02-01T00:00:00Z&nextToken=${first.nextToken}`)
    expect([...messages(first), ...messages(second)]).toEqual(['one', 'two went wrong', 'three'])
  })

  test('rejects an invalid page token, time, level or limit', async () => {
    for (const query of ['?nextToken=%00', '?since=yesterday', '?level=loud', '?limit=0', '?limit=10001'])
      expect((await daemon.api('GET', `/api/lambda-deploy/${id}/logs${query}`)).status, query).toBe(400)
  })
})

describe('following', () => {
  test('a log stream sends each new line as an event', async () => {
    const stream = follow(`/api/lambda-deploy/${id}/logs?tail=1`)
    expect(await stream.next()).toMatchObject({ message: expect.any(String), phase: 'RUN' })
    write({ timestamp: new Date().toISOString(), level: 'info', stream: 'server', message: 'four' })
    let line = await stream.next()
    while (line?.message !== 'four') line = await stream.next()
    stream.close()
  })

  test('following an unknown id returns 404 instead of a stream', async () => {
    const answer = await daemon.api('GET', '/api/lambda-deploy/dep_none/logs', {
      headers: { accept: 'text/event-stream' },
    })
    expect(answer.status).toBe(404)
  })

  test('a log stream ends when the daemon stops', async () => {
    const stream = follow(`/api/lambda-deploy/${id}/logs`)
    await stream.opened
    await daemon.restart()
    expect(await stream.over).toBe('ended')
  })
})

test('logs the tool of a call', async () => {
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

test('the log of a deployment contains its build, its states and its calls', async () => {
  const mcpId = await buildServer(daemon, echoServer('logged'))
  const { deployment_id, url } = await deploy(daemon, mcpId, 'production')
  await callTool(url, 'say', { text: 'hello' })
  await daemon.api('POST', `/v1/deploy/${deployment_id}/stop`)
  const linesOf = async (query = '') => {
    const { body } = await daemon.api('GET', `/api/lambda-deploy/${deployment_id}/logs${query}`)
    return body.lines.map(({ phase, message }: LogLine) => `${phase} ${message}`)
  }
  const expected = [
    new RegExp(`^BUILD build ${mcpId} of logged started`),
    /^BUILD built in \d+ ms: 1 tool$/,
    /^RUN instance \S+ is ready after \d+ ms$/,
    new RegExp(`^RUN deployed build ${mcpId} to production in \\d+ ms$`),
    /^RUN tools\/call say$/,
    /^RUN deployment stopped$/,
  ].map(pattern => expect.stringMatching(pattern))
  await expect.poll(() => linesOf()).toEqual(expect.arrayContaining(expected))
  const all = await linesOf()
  expect(all.slice(0, 2)).toEqual(expected.slice(0, 2))
  expect(await linesOf('?phase=build')).toEqual(all.slice(0, 2))
  expect(await linesOf('?phase=RUN')).toEqual(all.slice(2))
  expect(await linesOf('?tail=1')).toEqual(all.slice(-1))
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

test('a failed build logs the reason', async () => {
  const program = { type: 'stdio', command: '/nowhere/to-be-found' }
  const broken = { name: 'broken', template: 'custom', program }
  const { body: built } = await daemon.api('POST', '/v1/build', { body: broken })
  const id = built.data?.mcp_id
  expect(built.data).toMatchObject({ status: 'failed' })
  const { body } = await daemon.api('GET', `/api/lambda-deploy/${id}/logs?level=error`)
  expect(body.lines.map(({ message }: LogLine) => message).join('\n')).toContain(built.data.error.message)
})

test('logs arguments of calls only in development', async () => {
  const mcpId = await buildServer(daemon, echoServer('arguing'))
  const lineOf = async (environment: string) => {
    const { deployment_id, url } = await deploy(daemon, mcpId, environment)
    await callTool(url, 'say', { text: 'hello', password: 'hunter2' })
    const query = '?tool=say&level=info'
    const found = async () => {
      const { body } = await daemon.api('GET', `/api/lambda-deploy/${deployment_id}/logs${query}`)
      return body.lines as LogLine[]
    }
    await expect.poll(found).toHaveLength(1)
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

test('an interrupted log stream continues after the last received line', async () => {
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

/** Opens the event stream. `next` returns the `data` of the next event, or undefined at the end of the stream. */
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
    /** Whether the daemon ended the stream or the connection was cut off. */
    over: over.promise,
    /** Id of the first event. */
    firstId: () => ids[0]!,
    next: () =>
      new Promise<LogLine | undefined>(resolve => {
        if (arrived.length > 0) resolve(arrived.shift())
        else waiting.push(resolve)
      }),
    close: () => request.destroy(),
  }
}
