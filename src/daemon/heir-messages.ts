/** What a daemon and the one that is to take over say to each other over the IPC channel between them. */
export type ToHeir =
  /** The first message. `sockets`: port and descriptor in the heir of all that is listened on. */
  | {
      type: 'estate'
      apiPort: number
      namedPorts: { http?: number; https?: number }
      sockets: [port: number, descriptor: number][]
    }
  /** The home is free. */
  | { type: 'go' }

export type FromHeir =
  /** Loaded, and it has the estate. */
  | { type: 'loaded' }
  /** It serves all there is. */
  | { type: 'serving' }
  /** What `startFailure` tells. */
  | { type: 'failed'; error: Record<string, unknown> }
