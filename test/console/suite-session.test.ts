import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startSuite, suiteSessions } from '../../src/console/views/server/tests/suite-session.ts'

/** A request from the page. The test settles it. */
interface Sent {
  path: string
  answer(status: number, body: unknown): void
}

let sent: Sent[]
let onSent: (() => void) | undefined

beforeEach(() => {
  sent = []
  const page = { onbeforeunload: null as ((event: Event) => void) | null }
  vi.stubGlobal('window', page)
  vi.stubGlobal('location', { origin: 'http://console' })
  vi.stubGlobal(
    'fetch',
    (path: string, { signal }: RequestInit) =>
      new Promise<Response>((resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason))
        sent.push({ path, answer: (status, body) => resolve(Response.json(body, { status })) })
        onSent?.()
      }),
  )
})
afterEach(() => vi.unstubAllGlobals())

async function request(count: number): Promise<Sent> {
  if (sent.length < count) await new Promise<void>(done => (onSent = done))
  return sent[count - 1]!
}

const RESULT = {
  ai_response: 'Hello, Ada!',
  tools_used: ['greet'],
  resources_accessed: [],
  execution_time: 0.1,
  success_rate: 1,
}

const run = () => {
  startSuite({
    suite: { cases: [{ name: 'greets', message: 'Greet Ada.', expect: { tools: ['greet'] } }] },
    target: { name: 'greeter', mcpId: 'mcp_1', deploymentId: 'dep_1' },
    environment: 'development',
  })
  return suiteSessions.value.get('greeter')!
}

test('a run that cannot be stored keeps its cases and the reason until the user dismisses it', async () => {
  const session = run()
  ;(await request(1)).answer(200, { data: RESULT })
  const storing = await request(2)
  expect(storing.path).toBe('/api/suite-runs')
  expect(session.cases.value.map(({ name, status }) => [name, status])).toEqual([['greets', 'passed']])
  const failed = new Promise<void>(done => session.error.subscribe(error => error && done()))
  const message = 'The disk is full (ENOSPC).'
  storing.answer(503, { error: { code: 'UNAVAILABLE', message, details: '' } })
  await failed
  expect(session.error.value).toMatchObject({ message })
  expect(suiteSessions.value.get('greeter')).toBe(session)
  session.remove()
  expect(suiteSessions.value.size).toBe(0)
})

test('a server runs one suite at a time, and the browser asks before it closes a page with a running suite', async () => {
  const session = run()
  expect(run()).toBe(session)
  const closing = new Event('beforeunload', { cancelable: true })
  window.onbeforeunload!(closing as BeforeUnloadEvent)
  expect(closing.defaultPrevented).toBe(true)
  session.stop()
  expect([window.onbeforeunload, suiteSessions.value.size, sent.length]).toEqual([null, 0, 1])
})
