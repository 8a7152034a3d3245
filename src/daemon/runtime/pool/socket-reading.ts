import type { Socket } from 'node:net'

const SKIPPED = Symbol('skipped read')

type Internals = Socket & {
  _handle?: { reading: boolean; readStop(): void } | null
  /** Size of the read that the stream has asked for since `stopReading`. */
  [SKIPPED]?: number
}

/**
 * Leaves unread bytes in the kernel for the process that gets the connection. After `pause()` alone, the handle would keep
 * reading into a buffer that is lost. Must be called from a `data` listener, so that no read happens in between.
 */
export function stopReading(socket: Socket): void {
  const internals = socket as Internals
  const { _handle: handle } = internals
  socket.pause()
  // The stream would start reading again in the next tick (lib/internal/streams/readable.js, `maybeReadMore`).
  socket._read = size => {
    internals[SKIPPED] = size
  }
  if (!handle) return
  handle.reading = false
  handle.readStop()
}

/** Reverts `stopReading`. The socket stays paused. */
export function allowReading(socket: Socket): void {
  if (!Object.hasOwn(socket, '_read')) return
  Reflect.deleteProperty(socket, '_read')
  const size = (socket as Internals)[SKIPPED]
  // The stream still waits for this read and would never ask for another one.
  if (size !== undefined) socket._read(size)
}
