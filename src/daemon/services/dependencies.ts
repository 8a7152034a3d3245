import type { SourceArchives } from '../builder/archive/source-archives.ts'
import type { ArtifactStore } from '../builder/artifact-store.ts'
import type { Packages } from '../builder/program/packages.ts'
import type { ProgramFolders } from '../builder/program/program-folders.ts'
import type { ProgramSources } from '../builder/program/program-sources.ts'
import type { Toolchain } from '../builder/project/toolchain.ts'
import type { ObjectStorage } from '../builder/storage/object-storage.ts'
import type { Containers } from '../engine/container-engine.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { PublicListeners } from '../gateway/public-listeners.ts'
import type { LogStore } from '../runtime/logs/log-store.ts'
import type { EgressLink } from '../runtime/process/egress-link.ts'
import type { Supervisor } from '../runtime/supervisor.ts'
import type { StateStores } from '../state/state-stores.ts'
import type { Store } from '../store/store.ts'
import type { SecretBox } from './access/secrets.ts'
import type { SignIns } from './access/sign-ins.ts'
import type { Addresses } from './addresses/addresses.ts'
import type { Background } from './background.ts'
import type { Backups } from './backups/backups.ts'
import type { UnknownFiles } from './backups/unknown-files.ts'
import type { Images } from './builds/images.ts'
import type { Clock } from './clock.ts'
import type { ChangeFeed } from './events/change-feed.ts'
import type { RequestMetrics } from './metrics/request-metrics.ts'
import type { ReplacedFiles } from './prune/replaced-files.ts'
import type { Destinations } from './serving/destinations.ts'

/** Everything that services use. `daemon/create-dependencies.ts` creates it. Each service takes only the part it needs. */
export interface ServiceDependencies {
  store: Store
  /** Storage of archives and artifacts. */
  storage: ObjectStorage
  artifacts: ArtifactStore
  archives: SourceArchives
  toolchain: Toolchain
  programs: ProgramFolders
  programSources: ProgramSources
  packages: Packages
  /** Stores of handlers. */
  states: StateStores
  supervisor: Supervisor
  gateway: Gateway
  containers: Containers
  /** Ports that serve by host name. */
  publicListeners: PublicListeners
  /** The first call loads the code for images. */
  images(): Promise<Images>
  registry: RegistrySettings
  backups: Backups
  logs: LogStore
  unknownFiles: UnknownFiles
  replacedFiles: ReplacedFiles
  requestMetrics: RequestMetrics
  /** Hosts and ports that the code of deployments connects to. */
  destinations: Destinations
  /** Network access of confined processes. */
  egress: EgressLink
  secrets: SecretBox
  addresses: Addresses
  background: Background
  signIns: SignIns
  /** URL of the daemon's API: `http://127.0.0.1:<port>`. */
  origin: string
  /** Changes for the event feed. */
  changes: ChangeFeed
  clock: Clock
  /** Logs an action of an API key's owner in the daemon's log. */
  audit(action: string, fields: Record<string, unknown>): void
  closing: AbortSignal
}

/** Registry for the images of container builds. */
export interface RegistrySettings {
  /** Prefix of the servers' repositories, such as `registry.example.com/team`. Without it, images stay in the home. */
  imageRepository?: string | undefined
  /** Default base of images. Without it, this machine's own Node is used. */
  baseImage?: string | undefined
  /** Docker's `config.json` with the credentials. */
  dockerConfig?: string | undefined
}
