/** What a daemon and the one that is to take over say to each other over the IPC channel between them. */
export type ToHeir =
  /** The home is free. */
  { type: 'go' }

export type FromHeir =
  /** Loaded, and it has the estate. */
  | { type: 'loaded' }
  /** It serves all there is. */
  | { type: 'serving' }
  /** What `startFailure` tells. */
  | { type: 'failed'; error: Record<string, unknown> }

/** What the heir's standard input says of what it has, as JSON: there whatever becomes of the process that wrote it. */
export interface EstateText {
  apiPort: number
  namedPorts: { http?: number; https?: number }
  /** Port and descriptor in the heir of all that is listened on. */
  sockets: [port: number, descriptor: number][]
}
