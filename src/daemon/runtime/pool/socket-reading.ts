import type { Socket } from 'node:net'

type Internals = Socket & { _handle?: { reading: boolean; readStop(): void } | null }

/**
 * Leaves unread bytes in the kernel for the process that gets the connection. After `pause()` alone, the handle would keep
 * reading into a buffer that is lost. Must be called from a `data` listener, so that no read happens in between.
 */
export function stopReading(socket: Socket): void {
  const { _handle: handle } = socket as Internals
  socket.pause()
  // The stream would start reading again in the next tick (lib/internal/streams/readable.js, `maybeReadMore`).
  socket._read = () => {}
  if (!handle) return
  handle.reading = false
  handle.readStop()
}

/** Reverts `stopReading`. The socket stays paused. */
export function allowReading(socket: Socket): void {
  if (Object.hasOwn(socket, '_read')) Reflect.deleteProperty(socket, '_read')
}
