import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'
import type { InheritedSockets } from './inherited-sockets.ts'
import { type Acceptor, Listener } from './listener.ts'

/** Below the ephemeral range, so that no outgoing connection of another program takes a server's port for a while. */
export const PORT_RANGE = { first: 20_000, last: 31_999 } as const
/** For more servers than that; more of them are other programs' usual ones, so it comes second. */
const SECOND_RANGE = { first: 12_000, last: 19_999 } as const

/**
 * Instances that had borrowed the socket (runtime/loan.ts) of a daemon that was killed hold it until they have ended, which
 * takes a moment on a busy machine.
 */
const HELD_BY_THE_KILLED_MS = 3000
const TRY_EVERY_MS = 50

const TRIED_BY_CHANCE = 30

export interface PortOptions {
  inherited?: InheritedSockets | undefined
  /** False: who holds the port is not waited for. */
  waits?: boolean
}

/** Throws CONFLICT when the port is taken, and stays so. */
export async function listenOnPort(
  port: number,
  acceptor: Acceptor,
  { inherited, waits = true }: PortOptions = {},
): Promise<Listener> {
  const end = waits ? performance.now() + HELD_BY_THE_KILLED_MS : 0
  while (true) {
    try {
      return await Listener.open(port, acceptor, inherited)
    } catch (error) {
      if (!isTaken(error)) throw describeListenError(error)
      if (performance.now() >= end) throw describeHeld(port, error)
    }
    await sleep(TRY_EVERY_MS)
  }
}

/** Whether nobody listens there at this moment. */
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
 * Chance finds a port until both ranges are nearly full, also where another daemon has thousands; only then each port is
 * tried. Throws CONFLICT when all of them are taken.
 */
export async function listenOnFreePort(
  acceptor: Acceptor,
  ranges: readonly PortRange[] = [PORT_RANGE, SECOND_RANGE],
): Promise<Listener> {
  for (const ports of [...ranges.map(somePorts), ...ranges.map(allPorts)]) {
    const listener = await listenOnOneOf(ports, acceptor)
    if (listener) return listener
  }
  throw new HostingError(
    'CONFLICT',
    `No port from ${ranges.map(({ first, last }) => `${first} to ${last}`).join(' or ')} is free. Remove servers that are not needed.`,
  )
}

function* somePorts({ first, last }: PortRange): Generator<number> {
  for (let tried = 0; tried < TRIED_BY_CHANCE; tried++) yield randomInt(first, last + 1)
}

/** From a random one on. */
function* allPorts({ first, last }: PortRange): Generator<number> {
  const size = last - first + 1
  const start = randomInt(size)
  for (let step = 0; step < size; step++) yield first + ((start + step) % size)
}

async function listenOnOneOf(ports: Iterable<number>, acceptor: Acceptor): Promise<Listener | undefined> {
  for (const port of ports) {
    // With thousands of servers most ports are ours: asking the system for each takes a third of a second of bind and close.
    if (Listener.holds(port)) continue
    try {
      return await Listener.open(port, acceptor)
    } catch (error) {
      if (!isTaken(error)) throw describeListenError(error)
    }
  }
  return undefined
}

function describeHeld(port: number, cause: unknown): HostingError {
  return new HostingError('CONFLICT', portHeldMessage(port), { cause })
}

/** By which a deployment that failed for it is known (services/held-ports.ts). */
export function portHeldMessage(port: number): string {
  return `Port ${port} of this server's address is held by another program. End that program: what was deployed there then comes back by itself.`
}

function describeListenError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EMFILE' && code !== 'ENFILE') return error
  return new HostingError(
    'UNAVAILABLE',
    `No address can be opened: the daemon has as many files and connections open as the system allows (${code}). Raise the limit (ulimit -n) and restart the daemon, or remove servers that are not needed.`,
    { cause: error },
  )
}

/** EACCES: the system keeps the port for itself, as Windows does with whole ranges. */
function isTaken(error: unknown): boolean {
  return ['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')
}
