import { createServer } from 'node:http'
import { Pool } from 'undici'

/** A typical hop: a streaming reverse proxy based on undici, in front of the given URL. Prints its own URL. */
const target = new URL(process.argv[2]!)
const pool = new Pool(target.origin, { connections: 256, pipelining: 1 })
const server = createServer((request, response) => {
  const { host: _host, connection: _connection, ...headers } = request.headers
  pool.stream(
    {
      path: request.url!,
      method: request.method as 'POST',
      headers: { ...headers, host: target.host },
      body: request,
    },
    ({ statusCode, headers: answer }) => {
      const { connection: _hop, 'keep-alive': _keepAlive, ...end } = answer
      response.writeHead(statusCode, end)
      return response
    },
    error => {
      if (error) response.destroy()
    },
  )
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`)
})
process.on('disconnect', () => process.exit(0))
