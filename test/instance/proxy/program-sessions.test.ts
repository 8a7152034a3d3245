import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HttpExchange } from '../../../src/instance/http/http-exchange.ts'
import { Sessions } from '../../../src/instance/protocol/legacy/sessions.ts'
import { ProgramSessions } from '../../../src/instance/proxy/program-sessions.ts'
import { post, rpc } from '../../helpers/clients/mcp-requests.ts'
import { type ServedProgram, serveProgram } from '../../helpers/instance/programs.ts'

const PROGRAM = fileURLToPath(new URL('../../fixtures/programs/session-http-server.mjs', import.meta.url))
const TENANT = {
  id: 'dep_1',
  stateKey: randomBytes(32).toString('base64'),
  hasSiblings: true,
  allowedHosts: ['shop.test'],
}

const FACTS = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } }

/** `Host` of all requests. Both instances serve this name. */
const HOST = { host: 'shop.test' }

const served: ServedProgram[] = []
beforeAll(async () => {
  for (const version of ['here', 'there'])
    served.push(await serveProgram({ type: 'http', args: [PROGRAM, version] }, TENANT))
})
afterAll(() => Promise.all(served.map(one => one.close())))

async function begin({ url }: ServedProgram): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {} }
  const { headers } = await post(url, rpc('initialize', params), HOST)
  return { ...HOST, 'mcp-session-id': String(headers['mcp-session-id']) }
}

/** Port to which other instances relay the requests of the session. */
function peerPortOf(session: Record<string, string>): number {
  const claim = session['mcp-session-id']!.split('.')[2]!
  return Number.parseInt(claim.split('-')[2]!, 36)
}

test('an instance answers a request that another instance relays, even if neither started the session', async () => {
  const [here, there] = served as [ServedProgram, ServedProgram]
  const gone = await serveProgram({ type: 'http', args: [PROGRAM, 'gone'] }, TENANT)
  const session = await begin(gone)
  await gone.close()
  const port = peerPortOf(await begin(there))
  here.harness.send({ type: 'claimed', tenantId: TENANT.id, session: session['mcp-session-id']!, port })
  const { status, text } = await post(here.url, rpc('tools/call', { name: 'count' }), session)
  expect([status, text]).toEqual([404, 'no such session'])
  expect(claimsOf(here)).toEqual([])
  expect(claimsOf(there)).toEqual([])
})

/** Session claims that the instance sent to the daemon. */
function claimsOf({ harness }: ServedProgram): unknown[] {
  return harness.received.filter(({ type }) => type === 'claim')
}

test('a session that the program refused to start for one request is started by the next request', async () => {
  const answers = [503, 200]
  const program = createServer((_request, response) => {
    const status = answers.shift() ?? 202
    response.writeHead(status, { 'content-type': 'application/json', 'mcp-session-id': 'own' })
    response.end(status === 200 ? JSON.stringify({ jsonrpc: '2.0', id: 1, result: FACTS }) : '')
  }).listen(0, '127.0.0.1')
  await once(program, 'listening')
  const url = `http://127.0.0.1:${(program.address() as AddressInfo).port}/mcp`
  const sessions = new Sessions(TENANT.stateKey, 'inst_1')
  const exchange = exchangeOf(sessions, 'POST', sessions.create().id)
  const programSessions = new ProgramSessions()
  const headers = () => programSessions.of(exchange)!.headers(url)
  expect(await headers()).toEqual({})
  expect(await headers()).toEqual({ 'mcp-session-id': 'own', 'mcp-protocol-version': '2025-11-25' })
  expect(answers).toEqual([])
  sessions.close()
  await new Promise(resolve => program.close(resolve))
})

test.each([
  ['POST', 404, true],
  ['GET', 404, false],
  ['DELETE', 404, true],
  ['DELETE', 200, true],
  ['DELETE', 405, false],
  ['POST', 500, false],
])('a %s that the program answers with %i ends the session: %s', (method, status, isOver) => {
  const sessions = new Sessions(TENANT.stateKey, 'inst_1')
  const { id } = sessions.create(undefined, { inner: 'own' })
  new ProgramSessions().of(exchangeOf(sessions, method, id))!.end(status)
  expect(sessions.has(id)).toBe(!isOver)
  sessions.close()
})

test('an id that a program assigns to several users becomes a separate session for each', () => {
  const sessions = new Sessions(TENANT.stateKey, 'inst_1')
  const programSessions = new ProgramSessions()
  const nameFor = (subject: string) => {
    const exchange = { ...exchangeOf(sessions, 'POST'), caller: { subject } } as HttpExchange
    return programSessions.of(exchange)!.nameFor('all', 200)
  }
  const [ada, bob] = [nameFor('ada'), nameFor('bob')]
  expect(nameFor('bob')).toBe(bob)
  expect(sessions.find(ada, 'ada')?.id).toBe(ada)
  expect(sessions.find(bob, 'bob')?.id).toBe(bob)
  sessions.close()
})

function exchangeOf(sessions: Sessions, method: string, id?: string): HttpExchange {
  const request = { method, headers: id === undefined ? {} : { 'mcp-session-id': id } }
  const stateKey = Buffer.from(TENANT.stateKey, 'base64')
  const tenant = {
    config: { hasSiblings: true },
    instanceId: 'inst_1',
    sessions,
    stateKey,
    changed: () => {},
  }
  return { tenant, request } as unknown as HttpExchange
}
