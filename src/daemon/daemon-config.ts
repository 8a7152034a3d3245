import type { HomePaths } from '../shared/paths.ts'
import type { StorageSettings } from './builder/storage/open-storage.ts'
import type { InheritedSockets } from './gateway/inherited-sockets.ts'
import type { PublicPorts } from './gateway/public-listeners.ts'
import type { Upgrades } from './http/api/daemon.ts'
import type { PoolLimits } from './runtime/pool/pool-options.ts'
import type { RegistrySettings } from './services/dependencies.ts'

/** Options of `createDaemon`. */
export interface DaemonConfig {
  home: HomePaths
  /** Port of the API. 0 picks a free one. */
  port: number
  /** Path of the bundled instance program. */
  instanceProgram: string
  /** Path of the bundled `mcp-hosting/server` for handler modules. By default next to the instance program. */
  sdk?: string
  /** Path of `database.js`, which creates backups. By default next to the instance program. */
  databaseProgram?: string
  /** Proves the identity of the daemon in `GET /health`. */
  nonce: string
  startedAt: string
  /** Ports that serve by host name. Without them, servers have no host names. */
  namedPorts?: PublicPorts
  /** Creates a new database for a home whose database is missing. */
  newDatabase?: boolean | undefined
  /** Accepts a new or different `secret.key`. Values encrypted with the old one are lost. */
  newSecretKey?: boolean | undefined
  /** Storage of sources and artifacts. Defaults to the home. */
  storage?: StorageSettings | undefined
  /** Registry for the images of container builds. */
  registry?: RegistrySettings
  warmSpares?: number
  /** Limit on the JavaScript heap of an instance process. */
  memoryLimitMb?: number
  /** Time without a response after which an instance process is killed. */
  hangTimeoutMs?: number
  /** For tests: addresses that the network border treats as public. */
  publicAddresses?: readonly string[]
  /** Limits on the instances of each deployment. */
  poolLimits?: Partial<PoolLimits>
  /** Requests per hour for enterprise keys, including the owner's. */
  enterpriseLimit?: number
  clock?: () => Date
  /** For tests: time until the daemon first checks whether a backup is due. */
  backupDelayMs?: number
  /** Called after POST /api/daemon/stop has been answered. The caller closes the daemon. */
  requestStop?(): void
  /** Runs the upgrades that `POST /api/daemon/upgrade` requests. */
  upgrades?: Upgrades
  /** Called when the state is restored, just before the API answers. */
  onReady?(url: string): void
  /** Listening sockets of the predecessor, by port. Servers start before the daemon accepts their connections. */
  inherited?: InheritedSockets
  log?(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>): void
}
