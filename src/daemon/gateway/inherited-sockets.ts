import type { ListenOptions, Server } from 'node:net'

/**
 * Descriptors of listening sockets, by port, that came from the daemon before this one. The kernel holds what clients send
 * meanwhile, whoever of the two accepts it.
 */
export type InheritedSockets = Map<number, number>

/** What `server.listen` takes for a port: the socket that came with it, which is then no longer to be had, or a new one. */
export function whereTo(
  port: number,
  inherited: InheritedSockets | undefined,
): ListenOptions & { fd?: number } {
  const fd = inherited?.get(port)
  if (fd === undefined) return { port, host: '127.0.0.1', exclusive: true }
  inherited!.delete(port)
  return { fd }
}

/** Node has no public name for it, but takes it: `server.listen({fd})`. */
export function descriptorOf(server: Server | undefined): number | undefined {
  return (server as { _handle?: { fd?: number } } | undefined)?._handle?.fd
}
