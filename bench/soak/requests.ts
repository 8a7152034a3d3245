import { MODERN_CALL } from '../daemon.ts'
import type { HttpLane, Reply } from './http-client.ts'

const LEGACY = '2025-11-25'
export const LEGACY_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': LEGACY,
}

/** The prepared call of protocol 2026-07-28 with another text. `progress` requests events before the answer. */
export function modernBody(text: string, progress = false): string {
  const call = JSON.parse(MODERN_CALL.body)
  call.params.arguments = { text }
  if (progress) call.params._meta.progressToken = text
  return JSON.stringify(call)
}

/** Throws unless the answer contains the text. */
export async function callModern(lane: HttpLane, url: string, text: string, progress = false): Promise<void> {
  expectText(await lane.send(url, MODERN_CALL.headers, modernBody(text, progress)), text)
}

/** Throws unless a call to a missing tool is answered with an error. */
export async function callMissing(lane: HttpLane, url: string): Promise<void> {
  const headers = { ...MODERN_CALL.headers, 'mcp-name': 'missing' }
  const body = modernBody('').replace('"name":"echo"', '"name":"missing"')
  const { status, text } = await lane.send(url, headers, body)
  if (status >= 500 || !text.includes('"error"')) throw new Error(`expected an error, got ${status} ${text}`)
}

/** Throws unless invalid JSON is refused. */
export async function sendInvalidJson(lane: HttpLane, url: string): Promise<void> {
  const { status, text } = await lane.send(url, MODERN_CALL.headers, '{"jsonrpc":')
  if (status !== 400) throw new Error(`invalid JSON was answered with ${status} ${text}`)
}

/** Opens a legacy session. Returns its id. */
export async function openSession(lane: HttpLane, url: string): Promise<string> {
  const params = {
    protocolVersion: LEGACY,
    capabilities: {},
    clientInfo: { name: 'soak', version: '1' },
  }
  const reply = await lane.send(url, LEGACY_HEADERS, rpc('initialize', params, 0))
  if (reply.status !== 200 || !reply.sessionId) throw new Error(`no session: ${reply.status} ${reply.text}`)
  const headers = { ...LEGACY_HEADERS, 'mcp-session-id': reply.sessionId }
  const accepted = await lane.send(url, headers, rpc('notifications/initialized'))
  if (accepted.status !== 202) throw new Error(`notification: ${accepted.status} ${accepted.text}`)
  return reply.sessionId
}

export class LostSessionError extends Error {}

export async function callInSession(
  lane: HttpLane,
  url: string,
  session: string,
  text: string,
): Promise<void> {
  const headers = { ...LEGACY_HEADERS, 'mcp-session-id': session }
  const reply = await lane.send(url, headers, rpc('tools/call', { name: 'echo', arguments: { text } }, text))
  if (reply.status === 404) throw new LostSessionError(`the session is lost: ${reply.text}`)
  expectText(reply, text)
}

export async function endSession(lane: HttpLane, url: string, session: string): Promise<void> {
  const headers = { ...LEGACY_HEADERS, 'mcp-session-id': session }
  const { status, text } = await lane.send(url, headers, undefined, 'DELETE')
  if (status >= 300) throw new Error(`the DELETE of a session was answered with ${status} ${text}`)
}

function rpc(method: string, params?: object, id?: string | number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

function expectText({ status, text: answer }: Reply, text: string): void {
  if (status !== 200 || !answer.includes(`"text":${JSON.stringify(text)}`))
    throw new Error(`no echo of ${text}: ${status} ${answer}`)
}
