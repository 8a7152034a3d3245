import type { NetworkSettings, RefusalReason } from './network-policy.ts'

/**
 * What the daemon and the egress process say to each other over the IPC channel between them. The egress process accepts
 * from the listeners that confined processes opened in their network namespaces, and makes their connections.
 */
export type ToEgress =
  /** Comes with the handle of the listener. */
  | { type: 'listen'; processId: string }
  /** Nothing is decided for a process before its policy is known. */
  | { type: 'policy'; processId: string; settings: EgressSettings }
  /** The process has ended: closes its listener and its connections. */
  | { type: 'forget'; processId: string }

export interface EgressSettings extends NetworkSettings {
  /** For tests only, from the daemon's own settings: addresses that count as public. */
  publicAddresses?: readonly string[]
}

export type FromEgress =
  | { type: 'started' }
  /** A moment after something changed: counts since the last report. */
  | { type: 'traffic'; entries: ({ processId: string } & DestinationCounts)[] }

/** What went to one host and port. */
export interface DestinationCounts {
  host: string
  port: number
  connections: number
  /** The policy permits them, but they could not be made. */
  failures: number
  refusals: number
  /** Of the last refusal. */
  reason?: RefusalReason
  /** From the process to the destination. */
  bytesSent: number
  bytesReceived: number
}

/**
 * What a process with handler modules asks on a control connection, one JSON object per line. A connection is asked for
 * first; once it is there, the process connects to the egress port from the address `from`, and the two are joined.
 */
export type ControlRequest =
  | { id: number; type: 'connect'; host: string; port: number; from: string; address?: string }
  /** All addresses of a name. */
  | { id: number; type: 'lookup'; host: string }
  /** Records as `dns.resolve` gives them. */
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

/** First byte of a control connection; neither HTTP nor SOCKS begins with it. */
export const CONTROL_FIRST_BYTE = 0x7b // {

/** Record types that names are resolved to. */
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

/** Longest line of a control connection. */
export const MAX_CONTROL_LINE = 8 * 1024
