import type { ListenOptions, Server } from 'node:net'

/** File descriptors of listening sockets from the previous daemon, by port. The kernel queues connections during the switch. */
export type InheritedSockets = Map<number, number>

/** Options of `server.listen` for a port. Removes the inherited socket from the map, if there is one. */
export function listenOptions(
  port: number,
  inherited: InheritedSockets | undefined,
): ListenOptions & { fd?: number } {
  const fd = inherited?.get(port)
  if (fd === undefined) return { port, host: '127.0.0.1', exclusive: true }
  inherited!.delete(port)
  return { fd }
}

/** Node has no public API to read a descriptor, only `server.listen({fd})`. */
export function descriptorOf(server: Server | undefined): number | undefined {
  return (server as { _handle?: { fd?: number } } | undefined)?._handle?.fd
}
