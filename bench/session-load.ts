import { connect } from 'node:net'

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const REVISION = '2025-11-25'
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: 'hello' } },
}

/**
 * Calls the echo tool in so many sessions, each over a connection of its own and one call at a time. Gives answered calls
 * a second; the answer may be JSON or a stream of events. Throws for an answer without the echo.
 */
export async function loadSessions(url: string, sessions: number, seconds: number): Promise<number> {
  const opened = await Promise.all(Array.from({ length: sessions }, () => openSession(url)))
  const start = performance.now()
  const end = start + seconds * 1000
  const counts = await Promise.all(opened.map(session => lane(url, session, end)))
  const rate = (counts.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - start)
  await Promise.all(opened.map(session => endSession(url, session)))
  return rate
}

async function openSession(url: string): Promise<string> {
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo }
  const answer = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const session = answer.headers.get('mcp-session-id')
  if (!session) throw new Error(`${url} opened no session: ${answer.status} ${await answer.text()}`)
  await answer.text()
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session).then(one => one.text())
  // Some start a session's process with its first call only.
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

function lane(url: string, session: string, end: number): Promise<number> {
  const { hostname, port } = new URL(url)
  const request = requestBytes(url, session)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let count = 0
  let answer = ''
  return new Promise((resolve, reject) => {
    socket.setEncoding('latin1')
    socket.on('connect', () => socket.write(request))
    socket.on('error', reject)
    socket.on('close', () =>
      reject(new Error(`the server closed the connection after ${answer.slice(0, 300)}`)),
    )
    socket.on('data', chunk => {
      answer += chunk
      if (!isWhole(answer)) return
      if (!answer.includes('hello')) return reject(new Error(`no echo: ${answer.slice(0, 300)}`))
      answer = ''
      count++
      if (performance.now() < end) return socket.write(request)
      resolve(count)
      socket.removeAllListeners('close').destroy()
    })
  })
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  if (head < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, head))
  return length ? answer.length >= head + 4 + Number(length[1]) : answer.endsWith('\r\n0\r\n\r\n')
}

function requestBytes(url: string, session: string): string {
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
  return `POST ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
