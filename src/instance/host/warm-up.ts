import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { prepare } from '../server/prepare.ts'
import { Host } from './host.ts'

const ID = 'warm-up'
const SLEEPER_ID = 'warm-up asleep'
const CALLS = 3

const artifact: Artifact = {
  format: 1,
  server: { name: ID, version: '1' },
  template: 'basic',
  tools: [
    {
      name: 'echo',
      description: ID,
      // `minLength`, because most schemas have keywords other than `type`, whose validation must be compiled too.
      inputSchema: { type: 'object', properties: { text: { type: 'string', minLength: 1 } } },
      handler: { type: 'template', text: '{{ text }}' },
    },
  ],
  resources: [],
  prompts: [],
  data: null,
  env: [],
}

/**
 * Serves and calls a small server over real connections, so that all code on the path of a call is loaded and compiled. This cuts
 * the time of the first call after a deployment or a wake-up to a third. Leaves nothing behind.
 */
export async function warmUp(): Promise<void> {
  const host: Host = new Host(prepare, message => {
    if (message.type === 'wake') host.confirmWakeUp({ type: 'woken', tenantId: message.tenantId })
    if (message.type === 'serving' && message.tenantId === SLEEPER_ID) sleeping.resolve()
    if (message.type === 'failed') sleeping.reject(new Error(message.message))
  })
  const sleeping = Promise.withResolvers<void>()
  sleeping.promise.catch(() => {}) // handled by the await below
  let tenantId = ID
  const listener = createServer(socket => {
    host.connect({ type: 'connection', tenantId, seq: 0 }, socket)
    tenantId = ID
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  try {
    const tenant = tenantAt(port)
    host.serve({ type: 'serve', tenant, artifact, instanceId: ID })
    await callOver(port, CALLS)
    host.serve({
      type: 'serve',
      tenant: { ...tenant, id: SLEEPER_ID, asleep: 'elsewhere' },
      artifact,
      instanceId: ID,
    })
    await sleeping.promise
    tenantId = SLEEPER_ID
    await callOver(port, 1)
  } finally {
    listener.close()
    await host.close()
  }
}

function tenantAt(port: number): Tenant {
  const host = `127.0.0.1:${port}`
  return {
    id: ID,
    serverName: ID,
    url: `http://${host}/mcp`,
    allowedHosts: [host],
    allowedOrigins: [],
    env: {},
    allowPrivateNetwork: false,
    logLevel: 'info',
    logFile: '/dev/null',
    stateKey: '',
  }
}

async function callOver(port: number, calls: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(5000, () => socket.destroy(new Error('The warm-up call was not answered')))
  for (let count = 0; count < calls; count++) {
    socket.write(callRequest(port))
    await once(socket, 'data')
  }
  socket.destroy()
}

function callRequest(port: number): string {
  const revision = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'echo', arguments: { text: ID }, _meta: meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${revision}`,
    'Mcp-Method: tools/call',
    'Mcp-Name: echo',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}
