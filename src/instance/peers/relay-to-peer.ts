import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Exchange } from '../http/exchange.ts'
import { header } from '../http/headers.ts'
import { relay } from '../http/relay.ts'
import { readSessionId, sessionInstance } from '../protocol/session-id.ts'
import type { ServedTenant } from '../served-tenant.ts'
import { createNonce, isProof, PROOF_BYTES, readBytes } from './greeting.ts'

/**
 * Brings a request to the instance that holds its session; when that is gone, `serve` takes the session over. False when
 * the request is none of that kind.
 */
export function relayToPeer(exchange: Exchange, serve: () => void): boolean {
  const port = peerPort(exchange)
  if (port === undefined) return false
  connectPeer(port, exchange.tenant.stateKey).then(
    socket => relay(exchange, socket, () => exchange.response.destroy()),
    () => serve(),
  )
  return true
}

/** Port of the session's instance when it is another one than this. */
function peerPort({ tenant, request }: Exchange): number | undefined {
  const id = header(request, 'mcp-session-id')
  if (id === undefined || isHere(tenant, id)) return undefined
  return readSessionId(id, tenant.stateKey)?.peerPort
}

function isHere(tenant: ServedTenant, id: string): boolean {
  return sessionInstance(id) === tenant.instanceId || tenant.sessions.has(id)
}

async function connectPeer(port: number, key: Buffer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  try {
    await once(socket, 'connect')
    const nonce = createNonce()
    socket.write(nonce)
    if (!isProof(await readBytes(socket, PROOF_BYTES), nonce, key))
      throw new Error('this is no instance of ours')
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
