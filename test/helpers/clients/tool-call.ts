import { type Agent, request } from 'node:http'

/** Sends a `tools/call` in revision 2026-07-28. Returns the text of the first content block. */
export function callTool(
  port: number,
  name: string,
  agent: Agent | false = false,
  more: Record<string, string> = {},
): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta } }
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
    ...more,
  }
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent }
    const sent = request(options, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      response.once('error', reject)
      response.once('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text).result.content[0].text)
        else reject(new Error(`HTTP ${response.statusCode}: ${text}`))
      })
    })
    sent.once('error', reject)
    sent.end(JSON.stringify(body))
  })
}

/** Sends `initialize` with revision 2025-11-25. Rejects unless the server opens a session. */
export async function openSession(
  port: number,
  agent: Agent | false = false,
  headers: Record<string, string> = {},
): Promise<{ sessionId: string }> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const answer = await postLegacy(port, { method: 'initialize', params }, { agent, headers })
  const { status, text } = answer
  const sessionId = answer.headers['mcp-session-id']
  if (status !== 200 || typeof sessionId !== 'string') throw new Error(`HTTP ${status}: ${text}`)
  return { sessionId }
}

/** Sends a `tools/call` in a session. Returns the text of the first content block. */
export async function callInSession(port: number, name: string, sessionId: string): Promise<string> {
  const headers = { 'Mcp-Session-Id': sessionId, 'MCP-Protocol-Version': '2025-11-25' }
  const message = { method: 'tools/call', params: { name, arguments: {} } }
  const { status, text } = await postLegacy(port, message, { headers })
  if (status !== 200) throw new Error(`HTTP ${status}: ${text}`)
  return JSON.parse(text).result.content[0].text
}

function postLegacy(
  port: number,
  message: object,
  { agent = false, headers = {} }: { agent?: Agent | false; headers?: Record<string, string> },
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  const all = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers: all, agent }
    const sent = request(options, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
    })
    sent.once('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }))
  })
}
