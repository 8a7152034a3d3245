import { createServer } from 'node:net'
import { OWN_NETWORK } from '../../shared/instances/instance-protocol.ts'

/** True in a process with its own network namespace, where 127.0.0.1 is the only address. Read before user code runs. */
export const hasNetworkNamespace = process.env[OWN_NETWORK] === '1'

/** The only way out of the namespace. The process that holds the handle accepts the connections to the port. */
export interface EgressListener {
  port: number
  handle: unknown
  /** Closes this process's copy. The daemon's copy keeps listening. */
  close(): void
}

/** Port of the egress listener in this process's namespace. Undefined when the host's network is used. */
export let egressPort: number | undefined

export async function openEgressListener(): Promise<EgressListener> {
  const server = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, resolve)
  await promise
  const { port } = server.address() as { port: number }
  egressPort = port
  const { _handle: handle } = server as unknown as { _handle: unknown }
  return { port, handle, close: () => server.close() }
}

const BACKLOG = 1024
