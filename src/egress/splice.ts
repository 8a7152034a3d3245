import type { Socket } from 'node:net'

/** Idle connections are closed after this time. */
export const IDLE_MS = 3_600_000
const KEEP_ALIVE_MS = 60_000

/**
 * Joins two connections until both have ended. Passes on a half-close as a half-close and a reset as a reset. Calls `onMoved`
 * regularly and at the end with the number of bytes that the client has sent and received since the last call.
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
