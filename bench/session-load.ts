import { connect } from 'node:net'
import { cpuSecondsOf } from './processes.ts'

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const REVISION = '2025-11-25'
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: 'hello' } },
}

/** Pids of the processes that take part in a call, besides the generator. Queried when all sessions are open. */
export interface Parties {
  bridge: number[]
  programs: number[]
}

export interface SessionLoad {
  /** Answered calls per second. */
  rate: number
  /** Microseconds of processor time per call. Excludes opening and ending the sessions. */
  bridge: number
  programs: number
  generator: number
}

/**
 * Calls the echo tool in this number of sessions, each with its own connection and one call at a time. Accepts JSON or an event
 * stream. Throws for an answer without the echo.
 */
export async function loadSessions(
  url: string,
  { sessions, seconds, parties }: { sessions: number; seconds: number; parties: () => Parties },
): Promise<SessionLoad> {
  const opened = await Promise.all(Array.from({ length: sessions }, () => openSession(url)))
  const { bridge, programs } = parties()
  const before = [bridge, programs].map(cpuSecondsOf)
  const own = process.cpuUsage()
  const start = performance.now()
  const end = start + seconds * 1000
  const counts = await Promise.all(opened.map(session => lane(url, session, end)))
  const elapsedMs = performance.now() - start
  const { user, system } = process.cpuUsage(own)
  const answered = counts.reduce((sum, count) => sum + count, 0)
  const taken = [bridge, programs].map((pids, at) => ((cpuSecondsOf(pids) - before[at]!) * 1e6) / answered)
  await Promise.all(opened.map(session => endSession(url, session)))
  return {
    rate: (answered * 1000) / elapsedMs,
    bridge: taken[0]!,
    programs: taken[1]!,
    generator: (user + system) / answered,
  }
}

async function openSession(url: string): Promise<string> {
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo }
  const answer = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const session = answer.headers.get('mcp-session-id')
  if (!session) throw new Error(`${url} opened no session: ${answer.status} ${await answer.text()}`)
  await answer.text()
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session).then(one => one.text())
  // Some bridges start a session's process only with its first call.
  await post(url, CALL, session).then(one => one.text())
  return session
}

async function endSession(url: string, session: string): Promise<void> {
  const answer = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } })
  await answer.text()
}

function post(url: string, body: object, session?: string): Promise<Response> {
  const headers = session ? { ...ACCEPT, 'mcp-session-id': session } : ACCEPT
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Does as little as possible per call, because the generator takes processor time from the bridge. */
function lane(url: string, session: string, end: number): Promise<number> {
  const { hostname, port } = new URL(url)
  const request = requestBytes(url, session)
  const isComplete = createCompletenessCheck()
  let count = 0
  let earlier: Buffer | undefined
  return new Promise((resolve, reject) => {
    const take = (part: Buffer) => {
      const answer = earlier ? Buffer.concat([earlier, part]) : part
      earlier = isComplete(answer) ? undefined : Buffer.from(answer)
      if (earlier) return
      if (!answer.includes('hello')) return reject(new Error(`no echo: ${answer.subarray(0, 300)}`))
      count++
      if (performance.now() < end) return socket.write(request)
      resolve(count)
      socket.removeAllListeners('close').destroy()
    }
    const onread = {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback(bytes: number, into: Uint8Array) {
        take(Buffer.from(into.buffer, into.byteOffset, bytes))
        return true
      },
    }
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
    socket.on('connect', () => socket.write(request))
    socket.on('error', reject)
    socket.on('close', () =>
      reject(new Error(`the server closed the connection after ${earlier?.subarray(0, 300) ?? 'an answer'}`)),
    )
  })
}

/**
 * Returns a function that checks whether an answer is complete. All answers to the same call are alike, so the head of the
 * first one gives the length.
 */
function createCompletenessCheck(): (answer: Buffer) => boolean {
  let length: number | undefined
  return answer => {
    length ??= answerLength(answer)
    if (length === undefined) return false
    return length === STREAM
      ? answer.toString('latin1', answer.length - 7) === '\r\n0\r\n\r\n'
      : answer.length >= length
  }
}

const STREAM = 0

/** Bytes of head and body. `STREAM` for an event stream. Undefined until the head is complete. */
function answerLength(answer: Buffer): number | undefined {
  const text = answer.toString('latin1')
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const body = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))
  return body ? head + 4 + Number(body[1]) : STREAM
}

function requestBytes(url: string, session: string): Buffer {
  const { host, pathname } = new URL(url)
  const body = JSON.stringify(CALL)
  const headers = {
    host,
    ...ACCEPT,
    'mcp-session-id': session,
    'mcp-protocol-version': REVISION,
    'content-length': String(body.length),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}
