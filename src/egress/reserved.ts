import type { Socket } from 'node:net'
import type { Border } from './border.ts'

/** Unclaimed connections are closed after this time. The process connects as soon as it receives the answer. */
const CLAIM_MS = 15_000

interface ReservedConnection {
  upstream: Socket
  host: string
  port: number
  timer: NodeJS.Timeout
}

const reservedBy = new WeakMap<Border, Map<string, ReservedConnection>>()

/** Reserves an upstream connection for the next connection from the address `from` in the namespace. */
export function reserve(
  border: Border,
  from: string,
  { upstream, host, port }: Omit<ReservedConnection, 'timer'>,
): void {
  const reserved = reservedBy.get(border) ?? new Map<string, ReservedConnection>()
  reservedBy.set(border, reserved)
  reserved.get(from)?.upstream.destroy()
  const drop = () => {
    clearTimeout(timer)
    if (reserved.get(from)?.upstream === upstream) reserved.delete(from)
    upstream.destroy()
  }
  const timer = setTimeout(drop, CLAIM_MS)
  reserved.set(from, { upstream, host, port, timer })
}

/** Joins the connection with its reserved upstream connection. Returns false when none is reserved. */
export function joinReserved(socket: Socket, border: Border): boolean {
  const reserved = reservedBy.get(border)
  const from = socket.remoteAddress ?? ''
  const found = reserved?.get(from)
  if (!found) return false
  reserved!.delete(from)
  clearTimeout(found.timer)
  border.join(socket, found.upstream, found.host, found.port)
  return true
}
