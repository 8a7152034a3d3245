import type { Socket } from 'node:net'
import { isFromPeer } from '../http/connection-tenant.ts'
import type { Exchange } from '../http/exchange.ts'
import { header } from '../http/headers.ts'
import { relay } from '../http/relay.ts'
import { readSessionId, type SessionClaim, sessionInstance, sessionKey } from '../protocol/session-id.ts'
import type { ServedTenant } from '../served-tenant.ts'
import {
  createNonce,
  formatQuestion,
  isProof,
  type PeerQuestion,
  PROOF_BYTES,
  REPLY,
  REPLY_BYTES,
  readBytes,
} from './greeting.ts'

/** Instances may end while their sessions move. */
const MAX_MOVES = 5

/**
 * Brings a request to the instance that holds its session: one of the release that began it, or a sibling. When that is
 * gone, `serve` takes the session over, unless another instance did so before. False when the request is none of that kind,
 * and for one that an instance brought here: it goes nowhere else.
 */
export function relayToPeer(exchange: Exchange, serve: () => void): boolean {
  const { tenant, request } = exchange
  const id = header(request, 'mcp-session-id')
  if (id === undefined || isFromPeer(request.socket) || isHere(tenant, id)) return false
  const claim = readSessionId(id, sessionKey(tenant.stateKey, exchange.caller?.subject))
  const earlier = claim && earlierPorts(tenant, claim, id)
  if (!claim || (!earlier && claim.peerPort === undefined)) return false
  void bring(exchange, { id, claim, earlier: earlier ?? [] }, serve)
  return true
}

interface Destination {
  id: string
  claim: SessionClaim
  /** Of the release that began the session, in the order to try them. */
  earlier: readonly number[]
}

async function bring(
  exchange: Exchange,
  { id, claim, earlier }: Destination,
  serve: () => void,
): Promise<void> {
  // Whoever has it; else the first one that can take it over, so that the session stays with its release.
  for (const isOrphan of [false, true])
    for (const port of earlier) {
      const socket = await knock(port, exchange.tenant, { session: id, isOrphan })
      if (socket) return pass(exchange, id, socket)
    }
  await bringToSibling(exchange, { id, claim }, serve)
}

async function bringToSibling(
  exchange: Exchange,
  { id, claim }: Omit<Destination, 'earlier'>,
  serve: () => void,
): Promise<void> {
  const { siblings } = exchange.tenant
  const { owners } = siblings
  let owner = owners?.portOf(id) ?? claim.peerPort
  for (let moves = 0; moves < MAX_MOVES && owner !== undefined && owner !== owners?.port; moves++) {
    const socket = await knock(owner, exchange.tenant, { session: id, isOrphan: false })
    if (socket) return pass(exchange, id, socket)
    owner = await owners?.claim(id, owner)
  }
  serve()
}

function pass(exchange: Exchange, id: string, socket: Socket): void {
  const { tenant, request, response } = exchange
  // The connection has to leave an instance that drains, wherever its answers come from.
  const added = tenant.isDraining ? ['Connection', 'close'] : []
  // Whoever ended it may be gone soon, and nobody of this release is to take it over then.
  const onAnswer = (status: number) => request.method === 'DELETE' && status < 300 && tenant.sessions.end(id)
  relay(exchange, socket, () => response.destroy(), { added, onAnswer })
}

function isHere(tenant: ServedTenant, id: string): boolean {
  return sessionInstance(id) === tenant.instanceId || tenant.sessions.has(id)
}

/** Of the instance that began the session, then of those that may have taken it over. */
function earlierPorts(
  { siblings }: ServedTenant,
  { version }: SessionClaim,
  sessionId: string,
): readonly number[] | undefined {
  const first = sessionInstance(sessionId)
  const instances = version === undefined ? undefined : siblings.earlier?.get(version)
  return instances
    ?.toSorted((a, b) => Number(b.id === first) - Number(a.id === first))
    .map(({ port }) => port)
}

/** A connection to the instance there, if it takes the session's request. */
async function knock(
  port: number,
  { siblings, stateKey }: ServedTenant,
  question: PeerQuestion,
): Promise<Socket | undefined> {
  let socket: Socket | undefined
  try {
    socket = await siblings.connect(port)
    if (await greet(socket, stateKey, question)) return socket
  } catch {
    // Nobody is there, or nobody of ours.
  }
  socket?.destroy()
  return undefined
}

async function greet(socket: Socket, key: Buffer, question: PeerQuestion): Promise<boolean> {
  const nonce = createNonce()
  socket.write(nonce)
  const answer = await readBytes(socket, PROOF_BYTES + REPLY_BYTES)
  if (!isProof(answer.subarray(0, PROOF_BYTES), nonce, key)) return false
  let reply = answer[PROOF_BYTES]
  if (reply === REPLY.whose) {
    socket.write(formatQuestion(question))
    reply = (await readBytes(socket, REPLY_BYTES))[0]
  }
  return reply === REPLY.welcome
}
