import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Exchange } from '../http/exchange.ts'
import { header } from '../http/headers.ts'
import { relay } from '../http/relay.ts'
import { readSessionId, sessionInstance, sessionKey } from '../protocol/session-id.ts'
import type { ServedTenant } from '../served-tenant.ts'
import { createNonce, isProof, PROOF_BYTES, readBytes } from './greeting.ts'

/** Instances may end while their sessions move. */
const MAX_MOVES = 5

/**
 * Brings a request to the instance that holds its session; when that is gone, `serve` takes the session over, unless
 * another instance did so before. False when the request is none of that kind.
 */
export function relayToPeer(exchange: Exchange, serve: () => void): boolean {
  const { tenant, request } = exchange
  const id = header(request, 'mcp-session-id')
  if (id === undefined || isHere(tenant, id)) return false
  const port = readSessionId(id, sessionKey(tenant.stateKey, exchange.caller?.subject))?.peerPort
  if (port === undefined) return false
  void bring(exchange, { id, port: tenant.sessionOwners?.portOf(id) ?? port }, serve)
  return true
}

async function bring(
  exchange: Exchange,
  { id, port }: { id: string; port: number },
  serve: () => void,
): Promise<void> {
  const { stateKey, sessionOwners: owners } = exchange.tenant
  let owner: number | undefined = port
  for (let moves = 0; moves < MAX_MOVES && owner !== undefined && owner !== owners?.port; moves++) {
    const socket = await connectPeer(owner, stateKey).catch(() => undefined)
    if (socket) return relay(exchange, socket, () => exchange.response.destroy())
    owner = await owners?.claim(id, owner)
  }
  serve()
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
