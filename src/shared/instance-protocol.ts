import type { Artifact, Described } from './artifact.ts'
import type { NetworkSetting } from './network/destinations.ts'
import type { SeriesCounts } from './request-tally.ts'
import type { RevokedTokens } from './revoked-tokens.ts'

/**
 * What daemon and instance processes say to each other over the IPC channel. An instance process serves one or more
 * *tenants*; a tenant is one deployment or one preview in that process. A dedicated process has exactly one.
 */

/** Everything a process needs to serve one deployment or preview. */
export interface Tenant {
  /** Deployment id, or the server's `mcp_id` for a preview. */
  id: string
  serverName: string
  /** Public MCP URL, `http://127.0.0.1:<port>/mcp`. */
  url: string
  /** Host header values that are served (lower case, with port); anything else is 403 (DNS rebinding). */
  allowedHosts: string[]
  /** `Origin` values that are served besides those of the allowed hosts. */
  allowedOrigins: string[]
  /** Declared environment variables with their values. */
  env: Record<string, string>
  /** Its code may reach loopback, private and link-local addresses. */
  allowPrivateNetwork: boolean
  /** The only hosts that its code may reach. Absent: all that its addresses permit. */
  network?: NetworkSetting
  /** The deployment may have other instances, which must bring each request of a session to the one that holds it. */
  hasSiblings?: boolean
  /** `debug` logs every MCP message, redacted. */
  logLevel: 'debug' | 'info'
  /** File of this tenant's log lines, opened by the process in append mode; absent: inherited standard output. */
  logFile?: string
  /**
   * For a program of the user's: its own folder, which becomes its HOME, and what it gets of the daemon's environment: PATH,
   * language, time zone, and where the machine's certificates lie. `packages`: where npm packages are installed. `hidden`:
   * folders of the daemon's, of which a sandbox shows these two alone, and `source`: the unpacked archive it was built of.
   */
  program?: {
    folder: string
    packages: string
    hidden: string[]
    source?: string
    env: Record<string, string>
    /** Of the program with everything that it starts. */
    limits?: ProgramLimits
  }
  /** A handler of a module that has not answered by then is given up; default 60 s. */
  handlerTimeoutMs?: number
  /** Base 64 HMAC key for `requestState` and session ids, the same in all instances of one address. */
  stateKey: string
  /**
   * It sleeps as far as anybody is told: `wake` is sent with the first request that its artifact alone cannot answer.
   * `here`: which is answered here; `elsewhere`: which is relayed to its address, once `woken` has come.
   */
  asleep?: 'here' | 'elsewhere'
  /** Only requests with a token are served. */
  auth?: TenantAuth
  /** It runs from an image, in a container of this engine. */
  container?: TenantContainer
  /** Its address goes to the next build of the server while clients are connected. */
  isPreview?: boolean
}

/** It is killed when it holds or starts more. */
export interface ProgramLimits {
  memoryMb: number
  /** Processes and threads. */
  pids: number
  /** Processors, for example 0.5; no limit when absent. It is held back, not killed, and only where there are control groups. */
  cpus?: number
}

/** How an instance runs its server in a container. */
export interface TenantContainer {
  engine: 'podman' | 'docker'
  /** The engine's executable, and the whole environment of its client. */
  file: string
  env: Record<string, string>
  /** A name or id that the engine has. */
  image: string
  /** Made of the artifact by us: its log lines are ours, and sessions go on in the next one. */
  isOwn: boolean
  labels: Record<string, string>
  limits: ContainerLimits
}

/** Absent: no limit. */
export interface ContainerLimits {
  memoryMb?: number
  /** Processors, for example 0.5. */
  cpus?: number
  /** Processes and threads. */
  pids?: number
}

/** How an instance tells by itself who may use it. */
export interface TenantAuth {
  /** Who issues the tokens. */
  issuer: string
  /** Its public keys (JWK, Ed25519). */
  keys: Record<string, unknown>[]
  requiredScopes: string[]
  /** Told in the metadata. */
  scopes: string[]
  /** Good signatures that are refused all the same; changes while it is served. */
  revoked: RevokedTokens
}

export type ChangedList = 'tools' | 'resources' | 'prompts'

export type ToInstance =
  /** Prepare the artifact and serve it; answered by `serving` or `failed`. */
  | { type: 'serve'; tenant: Tenant; artifact: Artifact; instanceId: string; bundle?: string }
  /**
   * Load a custom server and tell what it defines; answered by `described` or `failed`. `bundle`, here and above: text of
   * the module `artifact.program.bundle`, because the process may read no files.
   */
  | { type: 'describe'; tenant: Tenant; artifact: Artifact; bundle?: string }
  /**
   * Comes with a socket handle: an accepted client connection. `head`: bytes already read from it, base 64;
   * then every request of it must name `host`, lower case with the port. `secure`: it came over TLS. Answered at
   * once by `took` with the same `seq`, also when the handle did not arrive; the sender keeps its copy until then, so
   * that a connection whose instance died before it took it goes to another one.
   */
  | { type: 'connection'; tenantId: string; seq: number; head?: string; host?: string; secure?: boolean }
  /**
   * Comes with the handle of a listening socket: accept the tenant's connections from it as well, until `give-back`.
   * Answered by `borrowed` with the same handle, so that the sender has one on which it does not accept.
   */
  | { type: 'lend'; tenantId: string; loanId: number }
  | { type: 'give-back'; tenantId: string; loanId: number }
  /**
   * Let every kept-alive connection end by itself with its next answer; answered by `drained`.
   * With `changed` a newer build has the tenant's address: clients that listen are told of these lists, and whatever still
   * comes is passed on to it. With `sessionIdleMs` sessions that began here stay: they are served, and the tenant has not
   * drained, until each has ended or nobody used it for so long. `siblings`: ids of the deployment's other instances, which
   * have their own.
   */
  | { type: 'drain'; tenantId: string; changed?: ChangedList[]; sessionIdleMs?: number; siblings?: string[] }
  /** A release is about to take the address over, and sessions are to stay; answered by `kept`. */
  | { type: 'keep'; tenantId: string }
  /** Which earlier releases of the address still serve their sessions, and where; complete each time. */
  | { type: 'earlier'; tenantId: string; versions: EarlierVersion[] }
  /** Let go of so many kept-alive connections with their next answer: another instance has room for them. */
  | { type: 'shed'; tenantId: string; count: number }
  /** Forget a tenant at once, cutting what is open; answered by `retired`. */
  | { type: 'retire'; tenantId: string }
  /** Stop writing to the tenant's log until `resume-log` (the daemon rotates the file); answered by `log-held`. */
  | { type: 'hold-log'; tenantId: string }
  | { type: 'resume-log'; tenantId: string }
  /** Connections reach the server that was asleep, or wait for it. */
  | { type: 'woken'; tenantId: string }
  /** Answered by `alive`, as soon as the event loop comes to it. */
  | { type: 'ping' }
  /** Another instance of the deployment has this to say. */
  | ({ type: 'announced'; tenantId: string } & Announcement)
  /** The answer to `claim`: the port of the instance that has the session from now on. */
  | ({ type: 'claimed'; tenantId: string } & Omit<SessionClaim, 'gone'>)
  /** Answers `open-peer-port`. Comes with the handle of a socket that listens on this port of the host's 127.0.0.1, if one could be opened. */
  | { type: 'peer-port'; tenantId: string; port: number }
  /** Answers `reach-peer`. Comes with the handle of the connection, or without one when no peer answers there. */
  | { type: 'peer-reached'; tenantId: string; seq: number }
  /** Tokens that are good no more. */
  | { type: 'revoked'; tenantId: string; tokens: RevokedTokens }
  /** Retire all and exit 0. */
  | { type: 'shutdown' }

export type FromInstance =
  /**
   * Loaded and waiting for work. A process with its own network namespace (`OWN_NETWORK` in its environment) sets `egress`
   * and attaches the handle of a socket that listens on 127.0.0.1 in there: connections to it are the only way out. No
   * user code runs before this message, and a process with user code may send no other handle.
   */
  | { type: 'ready'; egress?: true }
  /**
   * Asks for a port where the deployment's other instances can bring requests. Answered by `peer-port`. `key`: the tenant's
   * `stateKey`. Only a process that sends the same one is connected to the port.
   */
  | { type: 'open-peer-port'; tenantId: string; key: string }
  /** Asks for a connection to another instance, from a network namespace that has no way there. Answered by `peer-reached`. */
  | { type: 'reach-peer'; tenantId: string; seq: number; port: number; key: string }
  | { type: 'serving'; tenantId: string; prepareMs: number }
  | { type: 'described'; tenantId: string; described: Described }
  /** `stack`: where in the user's code, for a build's error. */
  | { type: 'failed'; tenantId: string; message: string; stack?: string }
  /** What serves the tenant ended and is started anew. `how`: the rest of a sentence about it. */
  | { type: 'restarting'; tenantId: string; how: string }
  /** The answer to `drain` as it comes: from now on nothing new is answered here that belongs elsewhere. */
  | { type: 'draining'; tenantId: string }
  | { type: 'drained'; tenantId: string }
  | { type: 'retired'; tenantId: string }
  /** `port`: of loopback, where requests of the tenant's sessions are taken, from who proves to have its key. */
  | { type: 'kept'; tenantId: string; port: number }
  | { type: 'took'; seq: number }
  | { type: 'borrowed'; loanId: number }
  /** Four times a second while a socket is lent: connections accepted from it since the last time. */
  | { type: 'accepted'; loanId: number; count: number }
  | { type: 'log-held'; tenantId: string }
  /** For the deployment's other instances and their clients; several things at a time. */
  | ({ type: 'announce'; tenantId: string } & Announcement)
  /** Answered by `claimed`, so that one instance alone takes a session over. */
  | ({ type: 'claim'; tenantId: string } & SessionClaim)
  /** A request came that needs more than the lists of a tenant that is `asleep`. */
  | { type: 'wake'; tenantId: string }
  | { type: 'alive' }
  /**
   * Sent at most once a second, and only by a process in which something changed. `utilization`: of its event loop since the
   * last one, 0 to 1.
   */
  | { type: 'metrics'; memoryBytes: number; utilization: number; tenants: TenantMetrics[] }

/** Names the descriptor of a process's log in its environment, where that is not standard output. */
export const LOG_DESCRIPTOR = 'MCP_INSTANCE_LOG_DESCRIPTOR'

/** Environment variable of an instance process with its own network namespace. Its value is `1`. */
export const OWN_NETWORK = 'MCP_OWN_NETWORK'

/** What a process without user code says within one turn of its event loop, in that order. */
export interface Several {
  type: 'several'
  messages: FromInstance[]
}

/** What the instances of a deployment tell each other. */
export interface Announcement {
  /** That have changed, as the server's code says. */
  lists: ChangedList[]
  /** Of resources that have. */
  uris: string[]
  /** Ids of sessions in use here, and at another instance as well: told when one is taken over, and from time to time. */
  used: string[]
  /** Ids of sessions that their clients have ended. */
  ended: string[]
}

/** A request of a session came whose instance is gone. */
export interface SessionClaim {
  session: string
  /** Where the instance that asks takes requests of the deployment's other ones. */
  port: number
  /** Where nobody answers any more. */
  gone: number
}

/** A deployment that was replaced, with the instances that still serve their sessions. */
export interface EarlierVersion {
  /** Its id. */
  version: string
  /** `port`: of loopback, see `kept`. */
  instances: { id: string; port: number }[]
}

/** Characters of a session id; one that holds a program's own id may be long. */
export const MAX_SESSION_ID = 4096

/** Most of each kind that one announcement names. */
export const MAX_ANNOUNCED = 100

/** Counters since the tenant was served; `series` alone tells what came since the last report. */
export interface TenantMetrics {
  tenantId: string
  connections: number
  activeRequests: number
  sessions: number
  /** MCP requests answered. */
  requests: number
  /** Of these, answered with a JSON-RPC error, a tool error or an HTTP status of 500 and above. */
  errors: number
  /** Unix milliseconds of the last request's end; 0 when there was none. */
  lastRequestAt: number
  /** One for each tool or method that was asked for since the last report. */
  series: SeriesCounts[]
}

/** Tools and methods that one tenant's reports may name. */
export const MAX_SERIES = 1100

/** One line of a deployment's log file, as JSON. */
export interface LogLine {
  timestamp: string
  level: 'debug' | 'info' | 'warn' | 'error'
  /** `server`: what the instance says of itself; `mcp`: one line a request; `stdout`/`stderr`: what user code printed. */
  stream: 'server' | 'mcp' | 'stdout' | 'stderr'
  message: string
  /** Filled in by the reader from the file's name. */
  instance?: string
  /** Of a container build. */
  phase?: string
  method?: string
  tool?: string
  ms?: number
  outcome?: 'ok' | 'error'
  requestId?: string
  sessionId?: string
  bytes?: number
  /** Of the request, redacted; only where messages are logged, in development. */
  arguments?: unknown
}
