import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createHome, MCP_BIN } from '../../helpers/daemon/mcp.ts'
import { hasTerminals, openTerminal } from '../../helpers/daemon/terminal.ts'

const RECORD = {
  deployment_id: 'dep_1',
  status: 'deployed',
  url: 'http://127.0.0.1:1/mcp',
  deploy_time: 2,
  health_check: 'http://127.0.0.1:1/health',
}

test.runIf(hasTerminals)('mcp deploy shows the phase of the deployment and the elapsed seconds', async () => {
  const send = (response: ServerResponse, event: object) =>
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  const api = createServer((request, response) => {
    if (request.url !== '/v1/deploy') return response.writeHead(404).end()
    response.writeHead(201, { 'content-type': 'text/event-stream' })
    send(response, { type: 'phase', phase: 'starting the server' })
    finish = () => {
      send(response, { type: 'result', result: RECORD })
      response.end()
    }
  }).listen(0, '127.0.0.1')
  let finish = () => {}
  await once(api, 'listening')
  const home = createHome()
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  const command = `${process.execPath} ${MCP_BIN} deploy mcp-123 --api-url ${url}`
  const terminal = openTerminal(`stty cols 100; ${command}`, home.env, home.dir)
  try {
    await terminal.expects(/Deploying .* to development: starting the server \(\d+ s\)/)
    finish()
    await terminal.expects('dep_1')
    expect(await terminal.ended).toBe(0)
  } finally {
    terminal.child.kill('SIGKILL')
    api.closeAllConnections()
    api.close()
    await home.remove()
  }
})
