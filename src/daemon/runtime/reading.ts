import type { Socket } from 'node:net'

type Internals = Socket & { _handle?: { reading: boolean; readStop(): void } | null }

/**
 * Leaves what has not been read in the kernel, for the process that gets the connection. `pause()` alone lets the handle
 * read on into a buffer that nobody will look at. To be called while data are delivered: nothing comes in between.
 */
export function stopReading(socket: Socket): void {
  const { _handle: handle } = socket as Internals
  socket.pause()
  // The stream would begin anew in the next tick (lib/internal/streams/readable.js, `maybeReadMore`).
  socket._read = () => {}
  if (!handle) return
  handle.reading = false
  handle.readStop()
}

/** Undoes `stopReading`; the socket is still paused. */
export function allowReading(socket: Socket): void {
  if (Object.hasOwn(socket, '_read')) Reflect.deleteProperty(socket, '_read')
}
