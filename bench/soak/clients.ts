import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { MODERN_CALL } from '../daemon.ts'
import { HttpLane } from './http-client.ts'
import type { Ledger } from './ledger.ts'
import {
  callInSession,
  callMissing,
  callModern,
  endSession,
  LEGACY_HEADERS,
  LostSessionError,
  modernBody,
  openSession,
  sendInvalidJson,
} from './requests.ts'
import type { Rests } from './rests.ts'
import type { Target } from './servers.ts'

export interface ClientOptions {
  target: Target
  ledger: Ledger
  stopping: AbortSignal
  /** Mean pause between two requests of one client. */
  pauseMs: number
  /** No client starts anything during a rest. */
  rests: Rests
}

type Client = (options: ClientOptions) => Promise<void>

const CALLS_OF_A_SESSION = 60
const STREAM_MS = 20_000

/** Runs all clients of one target. Resolves when all have stopped. */
export async function useTarget(options: ClientOptions): Promise<void> {
  const clients: Client[] = [modernClient, sessionClient, streamClient, disconnectingClient, slowClient]
  await Promise.all(clients.map(client => client(options)))
}

/** Calls the tool, and sometimes sends requests that must be refused. */
async function modernClient(options: ClientOptions): Promise<void> {
  const { target, ledger, stopping } = options
  const lane = new HttpLane()
  for (let count = 0; !stopping.aborted; count++) {
    const { request, what } = nextRequest(lane, target, count)
    await ledger.attempt(target.name, request, what)
    await pause(options, 1)
  }
  lane.close()
}

function nextRequest(lane: HttpLane, { name, url, kind }: Target, count: number) {
  // The program over stdio answers calls to any tool.
  if (count % 20 === 7 && kind !== 'stdio')
    return { what: 'a missing tool', request: () => callMissing(lane, url) }
  if (count % 20 === 14) return { what: 'invalid JSON', request: () => sendInvalidJson(lane, url) }
  const text = `${name} ${count}`
  return { what: 'call', request: () => callModern(lane, url, text, count % 5 === 0) }
}

/** Opens one session after another and calls in each. A session may only be lost to an injected fault. */
async function sessionClient(options: ClientOptions): Promise<void> {
  const { target, ledger, stopping } = options
  const lane = new HttpLane()
  while (!stopping.aborted) {
    const openedAt = performance.now()
    const session = await ledger.attempt(target.name, () => openSession(lane, target.url), 'initialize')
    for (let count = 0; session && count < CALLS_OF_A_SESSION && !stopping.aborted; count++) {
      await pause(options, 1)
      if (!(await callOnce(options, { lane, session, openedAt, text: `session ${count}` }))) break
    }
    if (session) await ledger.attempt(target.name, () => endQuietly(lane, target.url, session), 'DELETE')
    await pause(options, 1)
  }
  lane.close()
}

/** Returns false when the session has ended. */
async function callOnce(
  { target, ledger }: ClientOptions,
  call: { lane: HttpLane; session: string; openedAt: number; text: string },
): Promise<boolean> {
  let isLost = false
  await ledger.attempt(
    target.name,
    async () => {
      try {
        await callInSession(call.lane, target.url, call.session, call.text)
      } catch (error) {
        isLost = error instanceof LostSessionError
        if (!isLost || ledger.causeSince(target.name, call.openedAt) === undefined) throw error
        ledger.note('sessions lost with a killed process')
      }
    },
    'call in a session',
  )
  return !isLost
}

/** Ignores 404, because the session may have been lost. */
async function endQuietly(lane: HttpLane, url: string, session: string): Promise<void> {
  await endSession(lane, url, session).catch(error => {
    if (!String(error).includes('404')) throw error
  })
}

/** Opens sessions and keeps the stream of each open for a while. */
async function streamClient(options: ClientOptions): Promise<void> {
  const { target, ledger, stopping } = options
  const lane = new HttpLane()
  while (!stopping.aborted) {
    const session = await ledger.attempt(target.name, () => openSession(lane, target.url), 'initialize')
    if (session) {
      await listen(target.url, session, AbortSignal.any([stopping, AbortSignal.timeout(STREAM_MS)]))
      ledger.note('streams')
      await ledger.attempt(target.name, () => endQuietly(lane, target.url, session), 'DELETE')
    }
    await wait(options, 1000)
  }
  lane.close()
}

/** Resolves on abort or at the end of the stream. Releases, kills and stops end it. */
async function listen(url: string, session: string, signal: AbortSignal): Promise<void> {
  try {
    const headers = { ...LEGACY_HEADERS, accept: 'text/event-stream', 'mcp-session-id': session }
    const response = await fetch(url, { headers, signal })
    for await (const _ of response.body ?? []);
  } catch {
    // closed by either side
  }
}

/** Sends nothing, part of a request or a whole one, and disconnects. */
async function disconnectingClient(options: ClientOptions): Promise<void> {
  const { target, ledger, stopping } = options
  const { hostname, port, host, pathname } = new URL(target.url)
  const body = modernBody('gone')
  while (!stopping.aborted) {
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {})
    const request = Buffer.from(head(host, pathname, body) + body)
    socket.write(request.subarray(0, Math.floor(Math.random() * 1.5 * request.length)))
    await sleep(300 * Math.random())
    socket.destroy()
    ledger.note('clients that disconnected')
    await wait(options, 4000)
  }
}

/** Takes two seconds to send each request. */
async function slowClient(options: ClientOptions): Promise<void> {
  const { target, ledger, stopping } = options
  while (!stopping.aborted) {
    await ledger.attempt(target.name, () => callSlowly(target.url), 'slow call')
    await wait(options, 4000)
  }
}

async function callSlowly(url: string): Promise<void> {
  const { hostname, port, host, pathname } = new URL(url)
  const body = modernBody('slow')
  const request = head(host, pathname, body, 'connection: close\r\n') + body
  const socket = connect({ host: hostname, port: Number(port) })
  let answer = ''
  const ended = new Promise<void>((resolve, reject) => {
    socket.setEncoding('utf8').on('error', reject).on('close', resolve)
    socket.on('data', chunk => {
      answer += chunk
    })
  })
  ended.catch(() => {}) // awaited below
  const part = Math.ceil(request.length / 10)
  for (let at = 0; at < request.length && !socket.destroyed; at += part) {
    socket.write(request.slice(at, at + part))
    await sleep(200)
  }
  await ended
  if (!answer.includes('"text":"slow"')) throw new Error(`no answer to a slow call: ${answer}`)
}

function head(host: string, path: string, body: string, more = ''): string {
  const lines = Object.entries({ host, ...MODERN_CALL.headers, 'content-length': body.length })
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `POST ${path} HTTP/1.1\r\n${text}${more}\r\n`
}

function pause(options: ClientOptions, factor: number): Promise<void> {
  return wait(options, 2 * options.pauseMs * factor)
}

/** Waits for a random time up to `maxMs`, then for the end of a rest. */
async function wait({ rests }: ClientOptions, maxMs: number): Promise<void> {
  await sleep(maxMs * Math.random())
  await rests.over
}
