import type { SourceArchives } from '../builder/archive/source-archives.ts'
import type { ArtifactStore } from '../builder/artifact-store.ts'
import type { Packages } from '../builder/program/packages.ts'
import type { ProgramFolders } from '../builder/program/program-folders.ts'
import type { ProgramSources } from '../builder/program/program-sources.ts'
import type { Toolchain } from '../builder/project/toolchain.ts'
import type { ObjectStorage } from '../builder/storage/object-storage.ts'
import type { Containers } from '../engine/container-engine.ts'
import type { FrontDoors } from '../gateway/front-doors.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { EgressLink } from '../runtime/egress-link.ts'
import type { LogStore } from '../runtime/logs.ts'
import type { Supervisor } from '../runtime/supervisor.ts'
import type { Store } from '../store/store.ts'
import type { Addresses } from './addresses.ts'
import type { Background } from './background.ts'
import type { Backups } from './backups.ts'
import type { Clock } from './clock.ts'
import type { Destinations } from './destinations.ts'
import type { Images } from './images.ts'
import type { RequestMetrics } from './request-metrics.ts'
import type { SecretBox } from './secrets.ts'
import type { SignIns } from './sign-ins.ts'
import type { UnknownFiles } from './unknown-files.ts'

/** What the services combine; connected once in `daemon.ts`. */
export interface Rooms {
  store: Store
  /** Where archives and artifacts are kept. */
  storage: ObjectStorage
  artifacts: ArtifactStore
  /** Uploaded source archives. */
  archives: SourceArchives
  toolchain: Toolchain
  programs: ProgramFolders
  programSources: ProgramSources
  packages: Packages
  supervisor: Supervisor
  gateway: Gateway
  containers: Containers
  /** The ports where servers are found by name. */
  frontDoors: FrontDoors
  /** Loaded with the first that is made. */
  images(): Promise<Images>
  registry: RegistrySettings
  backups: Backups
  logs: LogStore
  unknownFiles: UnknownFiles
  requestMetrics: RequestMetrics
  /** What the code of deployments connects to. */
  destinations: Destinations
  /** The way out of confined processes. */
  egress: EgressLink
  secrets: SecretBox
  addresses: Addresses
  background: Background
  signIns: SignIns
  /** Of the daemon's API: `http://127.0.0.1:<port>`. */
  origin: string
  clock: Clock
  /** Aborts when the daemon ends. */
  closing: AbortSignal
}

/** Of the registry that takes the images of container builds. */
export interface RegistrySettings {
  /** Each server's repository lies below it: `registry.example.com/team`. Without it images stay in the home. */
  imageRepository?: string | undefined
  /** What images are built upon where nothing else is asked for; this machine's own Node by default. */
  baseImage?: string | undefined
  /** Docker's `config.json` with the credentials. */
  dockerConfig?: string | undefined
}
