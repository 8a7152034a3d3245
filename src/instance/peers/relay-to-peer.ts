import type { Socket } from 'node:net'
import { isFromPeer } from '../http/connection.ts'
import { header } from '../http/headers.ts'
import type { ExchangeTenant, HttpExchange } from '../http/http-exchange.ts'
import { relay } from '../http/relay.ts'
import {
  readSessionId,
  type SessionClaim,
  sessionInstance,
  sessionKey,
} from '../protocol/legacy/session-id.ts'
import {
  createNonce,
  formatQuestion,
  isProof,
  type PeerQuestion,
  PROOF_BYTES,
  REPLY,
  REPLY_BYTES,
  readBytes,
} from './handshake.ts'

/** Maximum number of owners to try. Instances may stop while their sessions move. */
const MAX_MOVES = 5

/**
 * Relays a request to the instance that holds its session: an instance of the release that started the session, or of this
 * release. If that instance has stopped, `serve` takes the session over, unless another instance already has. Returns false for
 * requests that need no relay, including those that another instance relayed here.
 */
export function relayToPeer(exchange: HttpExchange, serve: () => void): boolean {
  const { tenant, request } = exchange
  const id = header(request, 'mcp-session-id')
  if (id === undefined || isFromPeer(request.socket) || isHere(tenant, id)) return false
  const claim = readSessionId(id, sessionKey(tenant.stateKey, exchange.caller?.subject))
  const earlier = claim && earlierPorts(tenant, claim, id)
  if (!claim || (!earlier && claim.peerPort === undefined)) return false
  void relayToHolder(exchange, { id, claim, earlier: earlier ?? [] }, serve)
  return true
}

interface Destination {
  id: string
  claim: SessionClaim
  /** Ports of the release that started the session, in the order in which they are tried. */
  earlier: readonly number[]
}

async function relayToHolder(
  exchange: HttpExchange,
  { id, claim, earlier }: Destination,
  serve: () => void,
): Promise<void> {
  // Tries the instance that has the session, then any that can take it over, so that the session stays with its release.
  for (const isOrphan of [false, true])
    for (const port of earlier) {
      const socket = await tryConnect(port, exchange.tenant, { session: id, isOrphan })
      if (socket) return pass(exchange, id, socket)
    }
  await relayToSibling(exchange, { id, claim }, serve)
}

async function relayToSibling(
  exchange: HttpExchange,
  { id, claim }: Omit<Destination, 'earlier'>,
  serve: () => void,
): Promise<void> {
  const { peers } = exchange.tenant
  const { owners } = peers
  let owner = owners?.portOf(id) ?? claim.peerPort
  for (let moves = 0; moves < MAX_MOVES && owner !== undefined && owner !== owners?.port; moves++) {
    const socket = await tryConnect(owner, exchange.tenant, { session: id, isOrphan: false })
    if (socket) return pass(exchange, id, socket)
    owner = await owners?.claim(id, owner)
  }
  serve()
}

function pass(exchange: HttpExchange, id: string, socket: Socket): void {
  const { tenant, request, response } = exchange
  // The client must switch away from a draining instance, even if another instance answers.
  const added = tenant.isDraining ? ['Connection', 'close'] : []
  // The instance that ended the session may stop soon, and no instance of this release may revive the session.
  const onAnswer = (status: number) => request.method === 'DELETE' && status < 300 && tenant.sessions.end(id)
  relay(exchange, socket, () => response.destroy(), { added, onAnswer })
}

function isHere(tenant: ExchangeTenant, id: string): boolean {
  return sessionInstance(id) === tenant.instanceId || tenant.sessions.has(id)
}

/** Ports of the release that started the session. The instance that started the session comes first. */
function earlierPorts(
  { peers }: ExchangeTenant,
  { version }: SessionClaim,
  sessionId: string,
): readonly number[] | undefined {
  const first = sessionInstance(sessionId)
  const instances = version === undefined ? undefined : peers.earlier?.get(version)
  return instances
    ?.toSorted((a, b) => Number(b.id === first) - Number(a.id === first))
    .map(({ port }) => port)
}

/** Returns a connection if the instance on the port accepts requests for the session. */
async function tryConnect(
  port: number,
  { peers, stateKey }: ExchangeTenant,
  question: PeerQuestion,
): Promise<Socket | undefined> {
  let socket: Socket | undefined
  try {
    socket = await peers.connect(port)
    if (await shakeHands(socket, stateKey, question)) return socket
  } catch {
    // No peer answers there.
  }
  socket?.destroy()
  return undefined
}

async function shakeHands(socket: Socket, key: Buffer, question: PeerQuestion): Promise<boolean> {
  const nonce = createNonce()
  socket.write(nonce)
  const answer = await readBytes(socket, PROOF_BYTES + REPLY_BYTES)
  if (!isProof(answer.subarray(0, PROOF_BYTES), nonce, key)) return false
  let reply = answer[PROOF_BYTES]
  if (reply === REPLY.whichSession) {
    socket.write(formatQuestion(question))
    reply = (await readBytes(socket, REPLY_BYTES))[0]
  }
  return reply === REPLY.accepted
}
