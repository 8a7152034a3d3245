import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'
import type { InheritedSockets } from './inherited-sockets.ts'
import { type Acceptor, Listener } from './listener.ts'

/** Ports of servers, below the ephemeral range, so that no outgoing connection of another program takes one. */
export const PORT_RANGE = { first: 20_000, last: 31_999 } as const
/** Fallback range, because other programs often use these ports. */
const SECOND_RANGE = { first: 12_000, last: 19_999 } as const

/** Instances of a killed daemon hold a leased socket (runtime/process/socket-lease.ts) until they have exited. */
const LEASED_SOCKET_WAIT_MS = 3000
const RETRY_MS = 50

const RANDOM_TRIES = 30

export interface PortOptions {
  inherited?: InheritedSockets | undefined
  /** Waits up to 3 s for a taken port. Default: true. */
  waits?: boolean
}

/** Throws CONFLICT when the port stays taken. */
export async function listenOnPort(
  port: number,
  acceptor: Acceptor,
  { inherited, waits = true }: PortOptions = {},
): Promise<Listener> {
  const end = waits ? performance.now() + LEASED_SOCKET_WAIT_MS : 0
  while (true) {
    try {
      return await Listener.open(port, acceptor, inherited)
    } catch (error) {
      if (!isTaken(error)) throw describeListenError(error)
      if (performance.now() >= end) throw portHeldError(port, error)
    }
    await sleep(RETRY_MS)
  }
}

/** True when the daemon can listen on the port. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    const listener = await Listener.open(port, {
      accept: socket => socket.destroy(),
      onAcceptError: () => {},
    })
    listener.close()
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw describeListenError(error)
  }
}

interface PortRange {
  readonly first: number
  readonly last: number
}

/**
 * Tries random ports first, which works until both ranges are nearly full, and then every port. Throws CONFLICT when all are
 * taken.
 */
export async function listenOnFreePort(
  acceptor: Acceptor,
  ranges: readonly PortRange[] = [PORT_RANGE, SECOND_RANGE],
): Promise<Listener> {
  for (const ports of [...ranges.map(randomPorts), ...ranges.map(allPorts)]) {
    const listener = await listenOnOneOf(ports, acceptor)
    if (listener) return listener
  }
  throw new HostingError(
    'CONFLICT',
    `No port from ${ranges.map(({ first, last }) => `${first} to ${last}`).join(' or ')} is free. Remove servers that you do not need.`,
  )
}

function* randomPorts({ first, last }: PortRange): Generator<number> {
  for (let tried = 0; tried < RANDOM_TRIES; tried++) yield randomInt(first, last + 1)
}

/** All ports of the range, starting at a random one. */
function* allPorts({ first, last }: PortRange): Generator<number> {
  const size = last - first + 1
  const start = randomInt(size)
  for (let step = 0; step < size; step++) yield first + ((start + step) % size)
}

async function listenOnOneOf(ports: Iterable<number>, acceptor: Acceptor): Promise<Listener | undefined> {
  for (const port of ports) {
    // With thousands of servers, most ports are ours. Binding each of them would take a third of a second.
    if (Listener.holds(port)) continue
    try {
      return await Listener.open(port, acceptor)
    } catch (error) {
      if (!isTaken(error)) throw describeListenError(error)
    }
  }
  return undefined
}

function portHeldError(port: number, cause: unknown): HostingError {
  const message = `${portHeldPrefix(port)} Stop that program. The deployment then starts automatically.`
  return new HostingError('CONFLICT', message, { cause })
}

/**
 * Message prefix that identifies deployments that failed because another program held their port
 * (services/addresses/port-conflicts.ts).
 */
export function portHeldPrefix(port: number): string {
  return `Port ${port} of this server's address is in use by another program.`
}

function describeListenError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EMFILE' && code !== 'ENFILE') return error
  return new HostingError(
    'UNAVAILABLE',
    `No address can be opened, because the daemon has reached the system's limit on open files and connections (${code}). Raise the limit (ulimit -n) and restart the daemon, or remove servers that you do not need.`,
    { cause: error },
  )
}

/** True if the port cannot be used. EACCES means that the port is reserved, as whole ranges are on Windows. */
function isTaken(error: unknown): boolean {
  return ['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')
}
