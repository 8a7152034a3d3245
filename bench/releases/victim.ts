import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { readStat } from '../processes.ts'

/** A killed instance and its connections at that time. */
export interface Victim {
  /** Times from `performance.now()`: when the process was suspended, and when it was killed. */
  stoppedAt: number
  killedAt: number
  /** Ports of the clients that were connected to it. */
  clients: Set<number>
  /** Number of connections over which other instances relayed requests for its sessions. */
  relayed: number
}

interface Connection {
  inode: string
  isListening: boolean
  localPort: number
  remotePort: number
}

const LISTENING = '0A'

/**
 * Kills an instance with SIGKILL. Suspends it first, so that it accepts no connection after its connections were listed. The
 * daemon must hand pending connections to another instance. Linux only (proc(5)). `port`: port of the server's address.
 */
export function killInstance(pid: number, port: number): Victim {
  process.kill(pid, 'SIGSTOP')
  while (!hasStopped(pid));
  const stoppedAt = performance.now()
  const own = connectionsOf(pid)
  process.kill(pid, 'SIGKILL')
  const open = own.filter(({ isListening }) => !isListening)
  const listening = own.filter(({ isListening, localPort }) => isListening && localPort !== port)
  const peerPorts = new Set(listening.map(({ localPort }) => localPort))
  return {
    stoppedAt,
    killedAt: performance.now(),
    clients: new Set(open.filter(({ localPort }) => localPort === port).map(({ remotePort }) => remotePort)),
    relayed: open.filter(({ localPort }) => peerPorts.has(localPort)).length,
  }
}

/** True for a suspended process. `t` is a stop by a tracer. A process that has exited accepts no connections either. */
function hasStopped(pid: number): boolean {
  return readStat(pid).every(({ state }) => 'TtZX'.includes(state))
}

function connectionsOf(pid: number): Connection[] {
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).flatMap(fd => inodeOf(`/proc/${pid}/fd/${fd}`)))
  const own = [...tcpTable(), ...tcpTable()].filter(({ inode }) => inodes.has(inode))
  return [...new Map(own.map(connection => [connection.inode, connection])).values()]
}

/**
 * TCP connections of the machine. The kernel returns the table in parts and may skip an entry while others change, so callers
 * read it twice.
 */
function tcpTable(): Connection[] {
  const [, ...lines] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n')
  return lines.map(parseConnection)
}

function inodeOf(path: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? []
  } catch {
    return [] // closed since readdir
  }
}

/** `sl local:port remote:port state …`: addresses and ports are hexadecimal, and the tenth column is the inode. */
function parseConnection(line: string): Connection {
  const columns = line.trim().split(/\s+/)
  const portOf = (address: string) => Number.parseInt(address.split(':')[1]!, 16)
  return {
    inode: columns[9]!,
    isListening: columns[3] === LISTENING,
    localPort: portOf(columns[1]!),
    remotePort: portOf(columns[2]!),
  }
}
