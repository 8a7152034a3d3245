import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { readStat } from '../processes.ts'

/** An instance that was killed, and what was connected to it in that moment. */
export interface Victim {
  /** Times as `performance.now()` tells them: it did nothing any more, and its end. */
  stoppedAt: number
  killedAt: number
  /** Ports of the clients whose connections it had. */
  clients: Set<number>
  /** Connections over which other instances had brought it requests of its sessions. */
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
 * Ends it with SIGKILL. It is stopped before, so that it takes nothing more after its connections were listed; what is on
 * its way then the daemon has to give to another one. Linux only (proc(5)). `port`: of the server's address.
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

/** `t` stands for a tracer's stop; one that has ended takes nothing more either. */
function hasStopped(pid: number): boolean {
  return readStat(pid).every(({ state }) => 'TtZX'.includes(state))
}

function connectionsOf(pid: number): Connection[] {
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).flatMap(fd => inodeOf(`/proc/${pid}/fd/${fd}`)))
  const own = [...tcpTable(), ...tcpTable()].filter(({ inode }) => inodes.has(inode))
  return [...new Map(own.map(connection => [connection.inode, connection])).values()]
}

/** Read in parts, it may miss an entry while others come and go: hence twice. */
function tcpTable(): Connection[] {
  const [, ...lines] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n')
  return lines.map(parseConnection)
}

function inodeOf(path: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? []
  } catch {
    return [] // closed meanwhile
  }
}

/** `sl local:port remote:port state …`, addresses and ports in hexadecimal, the inode in the tenth column. */
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
