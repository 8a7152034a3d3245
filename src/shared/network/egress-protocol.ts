import type { NetworkSettings, RefusalReason } from './network-policy.ts'

/**
 * IPC messages between the daemon and the egress process. The egress process accepts connections from the listeners that
 * confined processes opened in their network namespaces, and connects to the requested destinations.
 */
export type ToEgress =
  /** Sent with the handle of the listener. */
  | { type: 'listen'; processId: string }
  /** Connections of a process wait for its policy. */
  | { type: 'policy'; processId: string; settings: EgressSettings }
  /** The process exited. Close its listener and connections. */
  | { type: 'forget'; processId: string }

export interface EgressSettings extends NetworkSettings {
  /** For tests only, from the daemon's settings: addresses that count as public. */
  publicAddresses?: readonly string[]
}

export type FromEgress =
  | { type: 'started' }
  /** Counts since the last report, sent shortly after a change. */
  | { type: 'traffic'; entries: ({ processId: string } & DestinationCounts)[] }

/** Traffic to one host and port. */
export interface DestinationCounts {
  host: string
  port: number
  connections: number
  /** Permitted connections that failed. */
  failures: number
  refusals: number
  reason?: RefusalReason
  /** Bytes from the process to the destination. */
  bytesSent: number
  bytesReceived: number
}

/**
 * Request from a process with handler modules on a control connection, one JSON object per line. `connect` opens a connection.
 * The process then connects to the egress port from the address `from`, and the two connections are joined.
 */
export type ControlRequest =
  | { id: number; type: 'connect'; host: string; port: number; from: string; address?: string }
  /** All addresses of a name. */
  | { id: number; type: 'lookup'; host: string }
  /** Records in the format of `dns.resolve`. */
  | { id: number; type: 'resolve'; host: string; records: string }

export type ControlAnswer =
  | { id: number; type: 'connected' }
  | { id: number; type: 'addresses'; addresses: string[] }
  | { id: number; type: 'records'; records: unknown }
  | { id: number; type: 'failed'; error: ControlError }

export interface ControlError {
  code: string
  message: string
  syscall?: string
  address?: string
  port?: number
}

/** First byte of a control connection. Neither HTTP nor SOCKS starts with it. */
export const CONTROL_FIRST_BYTE = 0x7b // {

/** Supported DNS record types. */
export const RECORD_TYPES = [
  'A',
  'AAAA',
  'CAA',
  'CNAME',
  'MX',
  'NAPTR',
  'NS',
  'PTR',
  'SOA',
  'SRV',
  'TXT',
] as const

/** Maximum number of bytes in a line on a control connection. */
export const MAX_CONTROL_LINE = 8 * 1024
