import type { Socket } from 'node:net'

/** A connection over which nothing came for so long is closed. */
export const IDLE_MS = 3_600_000
const KEEP_ALIVE_MS = 60_000

/**
 * Joins two connections until both have ended. The end of one is passed on as an end, a break as a break. `onMoved`: bytes
 * that went from the client and to it, from time to time and at the end.
 */
export function splice(
  client: Socket,
  upstream: Socket,
  onMoved: (sent: number, received: number) => void,
): void {
  let [sent, received] = [upstream.bytesWritten, 0]
  const report = () => {
    const [nowSent, nowReceived] = [upstream.bytesWritten, upstream.bytesRead]
    onMoved(nowSent - sent, nowReceived - received)
    ;[sent, received] = [nowSent, nowReceived]
  }
  const timer = setInterval(report, REPORT_MS).unref()
  join(client, upstream)
  join(upstream, client)
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.setTimeout(IDLE_MS, () => socket.resetAndDestroy())
  }
  upstream.once('close', () => {
    clearInterval(timer)
    report()
  })
}

const REPORT_MS = 5000

function join(from: Socket, to: Socket): void {
  from.on('error', () => to.resetAndDestroy())
  from.on('close', () => {
    if (!from.readableEnded) to.destroy()
  })
  from.pipe(to)
}
