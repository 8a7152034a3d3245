import type { Artifact, DescribedServer } from '../definitions/artifact.ts'
import type { NetworkSetting } from '../network/destinations.ts'
import type { SeriesCounts } from './request-tally.ts'
import type { RevokedTokens } from './revoked-tokens.ts'
import type { EndedSessions, SessionAnswer, SessionOrder } from './session-reports.ts'
import type { StateOperation, StateResult } from './state-operations.ts'
import type { TenantContainer } from './tenant-container.ts'

/**
 * Messages between the daemon and instance processes over the IPC channel. An instance process serves one or more
 * *tenants*. A tenant is a deployment or preview in that process. A dedicated process has exactly one.
 */

/** Everything that a process needs to serve a deployment or preview. */
export interface Tenant {
  /** Deployment id, or the server's `mcp_id` for a preview. */
  id: string
  serverName: string
  /** Public MCP URL, `http://127.0.0.1:<port>/mcp`. */
  url: string
  /** Accepted Host headers (lower case, with port). Other hosts get 403, which prevents DNS rebinding. */
  allowedHosts: string[]
  /** Accepted `Origin` headers in addition to those of the allowed hosts. `*`: all, for a server that requires tokens. */
  allowedOrigins: string[] | '*'
  /** Declared environment variables with their values. */
  env: Record<string, string>
  /** Its code may reach loopback, private and link-local addresses. */
  allowPrivateNetwork: boolean
  /** The only hosts that its code may reach. Absent: all permitted addresses. */
  network?: NetworkSetting
  /**
   * The deployment may have other instances. They must forward each request in a session to the instance that has the session.
   */
  hasSiblings?: boolean
  /** `debug` logs every MCP message, redacted. */
  logLevel: 'debug' | 'info'
  /** Request records keep arguments and answers. Default: true if `logLevel` is `debug`. */
  recordsBodies?: boolean
  /** Log file, opened by the process in append mode. Absent: inherited standard output. */
  logFile?: string
  /**
   * Paths and variables of a user's program. `folder`: its HOME. `data`: its DATA_DIR, by default below HOME. `env`: variables
   * that it gets from the daemon (PATH, language, time zone, location of certificates). `packages`: folder of installed npm
   * packages. `source`: its unpacked source archive. `hidden`: folders of the daemon, of which a sandbox shows only the
   * other folders listed here.
   */
  program?: {
    folder: string
    data?: string
    packages: string
    hidden: string[]
    source?: string
    env: Record<string, string>
    /** Limits for the program and all its child processes together. */
    limits?: ProgramLimits
  }
  /** Time limit of module handlers (default: 60 s) and of requests to `stdio` programs (default: their `timeoutMs`). */
  handlerTimeoutMs?: number
  /** Base64 HMAC key for `requestState` and session ids, the same in all instances of one address. */
  stateKey: string
  /**
   * The tenant counts as asleep. The process sends `wake` with the first request that needs more than the artifact. `here`: the
   * process answers that request itself. `elsewhere`: it relays the request to the address after `woken`.
   */
  asleep?: 'here' | 'elsewhere'
  /** Requires a token in each request. */
  auth?: TenantAuth
  /** Runs the server in a container. */
  container?: TenantContainer
  /** The next build of the server takes over the address while clients are connected. */
  isPreview?: boolean
  /** Store of the handlers. Absent: the server has none. */
  state?: StatePlace
  /** Sessions not to serve again. `end-sessions` adds to them while the tenant is served. */
  endedSessions?: EndedSessions
}

/** The key-value store of one server and environment. */
export interface StatePlace {
  server: string
  /** Environment or `preview`. */
  slot: string
}

/** A program that exceeds `memoryMb` or `pids` is killed. */
export interface ProgramLimits {
  memoryMb: number
  /** Processes and threads. */
  pids: number
  /** Processors, for example 0.5. Absent: no limit. Throttles the program. Needs control groups. */
  cpus?: number
}

/** Settings to verify tokens without the daemon. */
export interface TenantAuth {
  issuer: string
  /** Public keys of the issuer (JWK, Ed25519). */
  keys: Record<string, unknown>[]
  requiredScopes: string[]
  /** Published in the protected resource metadata (RFC 9728). */
  scopes: string[]
  /** Tokens to reject despite a valid signature. `revoked` adds to them while the tenant is served. */
  revoked: RevokedTokens
}

export type ChangedList = 'tools' | 'resources' | 'prompts'

export type ToInstance =
  /** Prepare and serve the artifact. Answered by `serving` or `failed`. */
  | { type: 'serve'; tenant: Tenant; artifact: Artifact; instanceId: string; bundle?: string }
  /**
   * Load a custom server and describe its definitions. Answered by `described` or `failed`. `bundle`, here and above:
   * source text of the module `artifact.program.bundle`, because the process may not read files.
   */
  | { type: 'describe'; tenant: Tenant; artifact: Artifact; bundle?: string }
  /**
   * Has a socket handle: an accepted client connection. `head`: Base64 of bytes that were already read. `host`: the Host
   * header that all requests must then have, lower case with the port. `secure`: uses TLS. Answered immediately by `took`
   * with the same `seq`, even if the handle was lost. The sender keeps its copy until then, so that another instance gets
   * the connection if this instance dies first.
   */
  | { type: 'connection'; tenantId: string; seq: number; head?: string; host?: string; secure?: boolean }
  /**
   * Has the handle of a listening socket: also accept the tenant's connections from it until `give-back`. Answered by
   * `borrowed` with the same handle, so that the sender keeps the socket without accepting connections from it.
   */
  | { type: 'lease'; tenantId: string; leaseId: number }
  | { type: 'give-back'; tenantId: string; leaseId: number }
  /**
   * Close each kept-alive connection with its next response. Answered by `drained`. `changed`: a newer build
   * has the address. Notify subscribed clients about these lists and relay later requests to it.
   * `sessionIdleMs`: sessions that started here stay until they end or are idle for that long. Only then has
   * the tenant drained. `siblings`: ids of the deployment's other instances, which have their own sessions.
   */
  | { type: 'drain'; tenantId: string; changed?: ChangedList[]; sessionIdleMs?: number; siblings?: string[] }
  /** A release is about to take over the address, and sessions stay. Answered by `kept`. */
  | { type: 'keep'; tenantId: string }
  /** All earlier releases of the address that still serve their sessions. */
  | { type: 'earlier'; tenantId: string; versions: EarlierVersion[] }
  /** Close this many kept-alive connections with their next response, because another instance has capacity. */
  | { type: 'shed'; tenantId: string; count: number }
  /** Remove a tenant immediately and close its connections. Answered by `retired`. */
  | { type: 'retire'; tenantId: string }
  /** Stop writing to the tenant's log until `resume-log`, because the daemon rotates the file. Answered by `log-held`. */
  | { type: 'hold-log'; tenantId: string }
  | { type: 'resume-log'; tenantId: string }
  /** The server is awake. Connections to its address reach it or wait for it. */
  | { type: 'woken'; tenantId: string }
  /** Answered by `alive` when the event loop handles it. */
  | { type: 'ping' }
  /** Load and compile what a first call needs. Sent to a process that is not needed yet. */
  | { type: 'warm-up' }
  /** Announcement of another instance of the deployment. */
  | ({ type: 'announced'; tenantId: string } & Announcement)
  /** Answers `claim` with the port of the instance that now has the session. */
  | ({ type: 'claimed'; tenantId: string } & Omit<SessionClaim, 'gone'>)
  /**
   * Answers `open-peer-port`. Has the handle of a socket that listens on this port of the host's 127.0.0.1, if one could be
   * opened.
   */
  | { type: 'peer-port'; tenantId: string; seq: number; port: number }
  /** Answers `reach-peer`. Has the handle of the connection, if the peer accepted it. */
  | { type: 'peer-reached'; tenantId: string; seq: number }
  | { type: 'revoked'; tenantId: string; tokens: RevokedTokens }
  | SessionOrder
  /** Answers `store`. Fewer results than operations: the others did not happen and must be sent again. */
  | { type: 'stored'; tenantId: string; results: StateResult[] }
  /** Retire all tenants and exit with 0. */
  | { type: 'shutdown' }

export type FromInstance =
  /**
   * Loaded and waiting for work. A process with its own network namespace (`OWN_NETWORK` in its environment) sets `egress`
   * and attaches the handle of a socket that listens on 127.0.0.1 in the namespace. All outgoing connections go through it.
   * No user code runs before this message, and processes with user code may not send other handles.
   */
  | { type: 'ready'; egress?: true }
  /**
   * Asks for a port to which the deployment's other instances can connect. Answered by `peer-port`. `key`: the tenant's
   * `stateKey`. Only processes that send the same key are connected to the port.
   */
  | { type: 'open-peer-port'; tenantId: string; seq: number; key: string }
  /** Asks for a connection to another instance, from a network namespace that cannot reach it. Answered by `peer-reached`. */
  | { type: 'reach-peer'; tenantId: string; seq: number; port: number; key: string }
  | { type: 'serving'; tenantId: string; prepareMs: number }
  | { type: 'described'; tenantId: string; described: DescribedServer }
  /** `stack`: position in the user's code, for build errors. */
  | { type: 'failed'; tenantId: string; message: string; stack?: string }
  /** The program or container of the tenant exited and is restarted. `how` completes a sentence about it. */
  | { type: 'restarting'; tenantId: string; how: string }
  /** Answers `drain` immediately: new requests that belong to the new release are no longer answered here. */
  | { type: 'draining'; tenantId: string }
  | { type: 'drained'; tenantId: string }
  /** `lastSeq`: highest `seq` that the retired tenant's `open-peer-port` may have. Higher ones belong to its next start. */
  | { type: 'retired'; tenantId: string; lastSeq: number }
  /** `port`: loopback port for requests in the tenant's sessions. The process proves to peers that it has `stateKey`. */
  | { type: 'kept'; tenantId: string; port: number }
  | { type: 'took'; seq: number }
  | { type: 'borrowed'; leaseId: number }
  /** Connections accepted from a leased socket since the last report, four times a second. */
  | { type: 'accepted'; leaseId: number; count: number }
  | { type: 'log-held'; tenantId: string }
  /** Forwarded to the deployment's other instances. */
  | ({ type: 'announce'; tenantId: string } & Announcement)
  /** Asks to take over a session, which only one instance may do. Answered by `claimed`. */
  | ({ type: 'claim'; tenantId: string } & SessionClaim)
  /** A request needs more than the lists of an `asleep` tenant. */
  | { type: 'wake'; tenantId: string }
  /** Operations of handlers on their store. Answered by `stored`. Only then may the next `store` be sent. */
  | { type: 'store'; tenantId: string; operations: StateOperation[] }
  | SessionAnswer
  | { type: 'alive' }
  /** Sent after changes, at most once a second. `utilization`: of the event loop since the last report, 0 to 1. */
  | { type: 'metrics'; memoryBytes: number; utilization: number; tenants: TenantMetrics[] }

/** Environment variable with the file descriptor of a process's log, if that is not standard output. */
export const LOG_DESCRIPTOR = 'MCP_INSTANCE_LOG_DESCRIPTOR'

/** Environment variable of an instance process with its own network namespace. Its value is `1`. */
export const OWN_NETWORK = 'MCP_OWN_NETWORK'

/** Set for sealed processes without an OS sandbox, with the reason in words that complete a sentence about their code. */
export const SANDBOX_GAP = 'MCP_SANDBOX_GAP'

/** Messages that a process without user code sends within one turn of its event loop, in order. */
export interface MessageBatch {
  type: 'several'
  messages: FromInstance[]
}

/** Broadcast to the other instances of a deployment. */
export interface Announcement {
  /** Lists that the server's code reported as changed. */
  lists: ChangedList[]
  /** Changed resources. */
  uris: string[]
  /** Ids of sessions in use here that other instances may also have. Sent on take-over and periodically. */
  used: string[]
  /** Ids of sessions that clients ended. */
  ended: string[]
}

/** Claim to a session whose instance has stopped. */
export interface SessionClaim {
  session: string
  /** Peer port of the claiming instance. */
  port: number
  /** Peer port that no longer responds. */
  gone: number
}

/** A deployment that was replaced, with the instances that still serve its sessions. */
export interface EarlierVersion {
  /** Deployment id. */
  version: string
  /** `port`: loopback port, see `kept`. */
  instances: { id: string; port: number }[]
}

/** Maximum number of characters in a session id, which may contain a program's own id. */
export const MAX_SESSION_ID = 4096

/** Maximum number of entries in each list of an announcement. */
export const MAX_ANNOUNCED = 100

/** Counters since the start of serving. `series` only counts since the last report. */
export interface TenantMetrics {
  tenantId: string
  connections: number
  activeRequests: number
  sessions: number
  /** MCP requests answered. */
  requests: number
  /** Requests answered with a JSON-RPC error, a tool error or an HTTP status of 500 or above. */
  errors: number
  /** Unix milliseconds of the last request's end. 0 without requests. */
  lastRequestAt: number
  /** One entry per tool or method that was requested since the last report. */
  series: SeriesCounts[]
}

/** Maximum number of tools and methods in a tenant's reports. */
export const MAX_SERIES = 1100
