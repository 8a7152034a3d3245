import { createServer } from 'node:http'

/** Baseline: the minimal JSON-RPC echo over `node:http`. Prints its URL. */
const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', chunk => {
    body += chunk
  })
  request.on('end', () => {
    const { id, params } = JSON.parse(body)
    const result = { content: [{ type: 'text', text: params.arguments.text }] }
    const text = JSON.stringify({ jsonrpc: '2.0', id, result })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`)
})
process.on('disconnect', () => process.exit(0))
