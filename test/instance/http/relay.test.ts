import { once } from 'node:events'
import { createServer, type RequestListener, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { HttpExchange } from '../../../src/instance/http/http-exchange.ts'
import { relay } from '../../../src/instance/http/relay.ts'
import { send } from '../../helpers/clients/mcp-requests.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Starts a server that relays each request once a connection to `port` is open and `wait` has resolved. Returns its port. */
function relayTo(port: number, wait: (exchange: HttpExchange) => Promise<unknown>): Promise<number> {
  return listen(async (request, response) => {
    const exchange = { request, response } as HttpExchange
    const socket = connect(port, '127.0.0.1')
    await Promise.all([once(socket, 'connect'), wait(exchange)])
    relay(exchange, socket, () => response.destroy())
  })
}

test('the target of the relay answers the request', async () => {
  const port = await listen((request, response) => request.pipe(response.writeHead(201)))
  const passing = await relayTo(port, async () => {})
  const answer = await send(`http://127.0.0.1:${passing}`, { body: 'hello' })
  expect(answer).toMatchObject({ status: 201, text: 'hello' })
})

test.each(['GET', 'POST'])('a %s request is not relayed after its client has disconnected', async method => {
  const seen: string[] = []
  const port = await listen((request, response) => {
    seen.push(request.url!)
    response.writeHead(200).flushHeaders()
  })
  const closed = once(servers[0]!, 'connection').then(([socket]) => once(socket, 'close'))
  const passing = await relayTo(port, async ({ response }) => {
    client.destroy()
    await once(response, 'close')
  })
  const client = request({ port: passing, path: '/stream', method }).on('error', () => {})
  client.end()
  await closed
  expect(seen).toEqual([])
})
