import { type Agent, request } from 'node:http'

/** One `tools/call` of the 2026-07-28 revision; gives the text of the answer's first block. */
export function callTool(port: number, name: string, agent: Agent | false = false): Promise<string> {
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
