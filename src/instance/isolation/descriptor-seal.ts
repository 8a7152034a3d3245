import tty from 'node:tty'
import { denyAll } from './denied.ts'
import { sealFiles } from './file-seal.ts'
import { pipePrototype, tcpPrototype, udpPrototype } from './native-handles.ts'
import type { UserOutput } from './user-output.ts'

/**
 * Limits functions that accept a descriptor to printing and to files opened by name. The permission model does not cover
 * descriptors (https://nodejs.org/api/permissions.html#limitations-and-known-issues), and this process has open ones: its log and
 * the daemon's channel. Also removes Unix sockets, which the model does not cover and which could lead to a container engine.
 */
export function sealDescriptors(output: UserOutput): void {
  sealFiles(output)
  denyAll(pipePrototype(), ['open', 'connect', 'bind', 'listen', 'fchmod'], 'pipe')
  denyAll(tcpPrototype(), ['open'], 'tcp')
  denyAll(udpPrototype(), ['open'], 'udp')
  denyAll(tty, ['ReadStream', 'WriteStream'], 'tty')
}
