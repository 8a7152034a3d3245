import type { Socket } from 'node:net'
import { CONTROL_FIRST_BYTE } from '../shared/network/egress-protocol.ts'
import type { Border } from './border.ts'
import { serveControl } from './control.ts'
import type { HttpProxy } from './http-proxy.ts'
import { joinReserved } from './reserved.ts'
import { serveSocks } from './socks.ts'

/** The first bytes must arrive within this time. */
const FIRST_BYTES_MS = 10_000
const SOCKS_5 = 0x05

/** Detects the protocol of a connection from a confined process: reserved, SOCKS 5, control connection, or HTTP. */
export function acceptFrom(socket: Socket, border: Border, http: HttpProxy): void {
  if (joinReserved(socket, border)) return
  const timer = setTimeout(() => socket.destroy(), FIRST_BYTES_MS)
  const close = () => socket.destroy()
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', close)
  socket.once('data', (chunk: Buffer) => {
    clearTimeout(timer)
    socket.off('end', close)
    socket.pause()
    socket.unshift(chunk)
    if (chunk[0] === CONTROL_FIRST_BYTE) serveControl(socket, border)
    else if (chunk[0] === SOCKS_5) serveSocks(socket, border)
    else http.serve(socket, border)
  })
}
