export type ToSuccessor =
  /** The home is unlocked. */
  { type: 'go' }

export type FromSuccessor =
  /** The successor is loaded and has read the inherited state. */
  | { type: 'loaded' }
  /** The successor serves everything. */
  | { type: 'serving' }
  /** `error` is the result of `startFailure`. */
  | { type: 'failed'; error: Record<string, unknown> }

/** Inherited state on the successor's standard input. It stays readable even if the old daemon dies. */
export interface InheritedStateJson {
  apiPort: number
  namedPorts: { http?: number; https?: number }
  /** Port and file descriptor, in the successor, of every listening socket. */
  sockets: [port: number, descriptor: number][]
}
