import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { TenantLog } from '../log/tenant-log.ts'
import type { EarlierVersions, SessionOwners } from '../peers/session-owners.ts'
import type { Sessions } from '../protocol/legacy/sessions.ts'
import type { Caller } from '../server/client-context.ts'
import type { RequestCounters } from '../tenant/request-counters.ts'

/** One HTTP request with its response, and the tenant that owns the connection. */
export interface HttpExchange {
  tenant: ExchangeTenant
  request: IncomingMessage
  response: ServerResponse
  /** Sender of the request, if the tenant requires a token. */
  caller?: Caller
}

/** The parts of a tenant that the HTTP layer and forwarding servers use (tenant/served-tenant.ts). */
export interface ExchangeTenant {
  readonly config: Tenant
  readonly instanceId: string
  readonly log: TenantLog
  readonly counters: RequestCounters
  readonly sessions: Sessions
  readonly stateKey: Buffer
  readonly endlessStreams: Set<() => void>
  readonly guard: Guard | undefined
  readonly wakeUp: WakeUp | undefined
  readonly isDraining: boolean
  readonly closesConnections: boolean
  readonly peers: PeerRoutes
  openStreams: number
  shouldCloseConnection(): boolean
  keepsSessionOf(request: IncomingMessage): boolean
  changed(): void
}

/** Locates a tenant's sessions on other instances. */
interface PeerRoutes {
  readonly owners: SessionOwners | undefined
  readonly earlier: EarlierVersions | undefined
  connect(port: number): Promise<Socket>
}

/** Serves requests with a valid token and the server's resource metadata. Refuses others. `path` has no query. */
export type Guard = (exchange: HttpExchange, path: string, serve: () => void) => void

/** Handles a request that the artifact cannot answer. `text`: its body, if already read. `serve`: answers it in this process. */
export type WakeUp = (exchange: HttpExchange, text: string | undefined, serve: () => void) => void
