import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type McpConnection } from '../../src/console/mcp/connection.ts'
import type { Message, Params } from '../../src/console/mcp/messages.ts'

type Answer = (message: Message, request: IncomingMessage, response: ServerResponse) => void

const closing: (() => void)[] = []

/** Closes the servers and connections of a test. */
export function closeServers(): void {
  for (const close of closing.splice(0)) close()
}
/** Starts a server that answers every message with `answer`. `sent` collects the messages that the server received. */
export async function listen(answer: Answer) {
  const sent: { method: string; message: Message; headers: IncomingMessage['headers'] }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const message = text ? JSON.parse(text) : {}
    sent.push({ method: request.method!, message, headers: request.headers })
    answer(message, request, response)
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  closing.push(() => server.close().closeAllConnections())
  return { path: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sent }
}

export const json = (response: ServerResponse, body: unknown, status = 200, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
export const result = ({ id }: Message, members: Params) => ({ jsonrpc: '2.0', id, result: members })
export const error = ({ id }: Message, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
export const stream = (response: ServerResponse, ...messages: unknown[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`)
  return response
}
export const signal = () => new AbortController().signal

/** Connects to a server of the modern era that answers all messages but `server/discover` with `answer`. */
export async function connectModern(answer: Answer) {
  const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
  const { path, sent } = await listen((message, request, response) => {
    if (message.method === 'server/discover') json(response, result(message, discovered))
    else answer(message, request, response)
  })
  const connection = await connect({ path, token: undefined }, { signal: signal() })
  return { connection, sent }
}

/** Connects to a legacy server. `answer` gets all requests but the handshake, notifications and requests for a new stream. */
export async function connectLegacy(answer: Answer) {
  const { path, sent } = await listen((message, request, response) => {
    const { method } = message
    const session = { 'mcp-session-id': 's1' }
    const facts = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 'old', version: '1' },
    }
    if (method === 'server/discover') json(response, error(message, -32601, 'Method not found'), 400)
    else if (method === 'initialize') json(response, result(message, facts), 200, session)
    else if (method?.startsWith('notifications/')) response.writeHead(202).end()
    else if (request.method === 'GET' && !request.headers['last-event-id']) response.writeHead(405).end()
    else answer(message, request, response)
  })
  const connection = await connect({ path, token: undefined }, { signal: signal() })
  closing.push(() => connection.close())
  return { connection, sent }
}

export const call = (
  connection: McpConnection,
  more: Partial<Parameters<McpConnection['request']>[0]> = {},
) =>
  connection.request({ method: 'tools/call', params: { name: 'a' }, about: 'a', signal: signal(), ...more })
