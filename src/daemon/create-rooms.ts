import { dirname, join } from 'node:path'
import { Lazy } from '../shared/lazy.ts'
import { homePaths } from '../shared/paths.ts'
import { Packages } from './builder/program/packages.ts'
import { ProgramFolders } from './builder/program/program-folders.ts'
import { ProgramSources } from './builder/program/program-sources.ts'
import { createToolchain } from './builder/project/toolchain.ts'
import type { DaemonConfig } from './daemon.ts'
import { errorFields } from './daemon-log.ts'
import { Containers } from './engine/container-engine.ts'
import { FrontDoors } from './gateway/front-doors.ts'
import { Gateway } from './gateway/gateway.ts'
import { EgressLink } from './runtime/egress-link.ts'
import { LogStore } from './runtime/logs.ts'
import { Supervisor } from './runtime/supervisor.ts'
import { Addresses } from './services/addresses.ts'
import { ApiKeys } from './services/api-keys.ts'
import { Background } from './services/background.ts'
import { type BackupSettings, Backups } from './services/backups.ts'
import { createClock } from './services/clock.ts'
import { Destinations } from './services/destinations.ts'
import { RequestMetrics } from './services/request-metrics.ts'
import type { Rooms } from './services/rooms.ts'
import { SignIns } from './services/sign-ins.ts'
import { UnknownFiles } from './services/unknown-files.ts'

/** What is open before any room is. */
export type Files = Pick<Rooms, 'store' | 'storage' | 'artifacts' | 'archives' | 'secrets'>

export interface RoomsOptions {
  files: Files
  /** See `SupervisorOptions`. */
  onFailed(id: string, error: Error): void
  /** Nothing more is to be begun. */
  closing: AbortSignal
  /** Of the API. */
  origin: string
}

export const ACCEPT_FAILED =
  'connections to servers cannot be accepted; free memory or files of the system, or raise its limits (ulimit -n)'

/** Everything below the services. Lower rooms report upward by the callbacks given here. */
export function createRooms(config: DaemonConfig, { files, onFailed, closing, origin }: RoomsOptions): Rooms {
  const { home, log, instanceProgram, warmSpares, memoryLimitMb, patienceMs, poolLimits } = config
  const background = new Background(error => log?.('error', 'background work failed', errorFields(error)))
  const logs = new LogStore(home.logs)
  const clock = createClock(config.clock, files.store.latestMoment())
  const requestMetrics = new RequestMetrics({ store: files.store, clock, onError: background.report })
  const destinations = new Destinations({
    store: files.store,
    clock,
    onError: background.report,
    onRefused: (id, line) => background.run(() => logs.append(id, line)),
  })
  const egress = new EgressLink({
    program: join(dirname(instanceProgram), 'egress.js'),
    publicAddresses: config.publicAddresses,
    onTraffic: (id, counts) => background.attempt(() => destinations.take(id, counts)),
    onError: message => log?.('error', message, {}),
  })
  const supervisor = new Supervisor({
    onEgressListener: (processId, listener) => egress.opened(processId, listener),
    onAssigned: (processId, tenant) => egress.assigned(processId, tenant),
    onProcessEnded: processId => egress.ended(processId),
    instanceProgram,
    logsDir: home.logs,
    ...(warmSpares === undefined ? {} : { warmSpares }),
    ...(memoryLimitMb === undefined ? {} : { memoryLimitMb }),
    ...(patienceMs === undefined ? {} : { patienceMs }),
    ...(poolLimits === undefined ? {} : { limits: poolLimits }),
    onFailed,
    onTraffic: (id, series) => background.attempt(() => requestMetrics.take(id, series)),
    onEvent: (id, line) => background.run(() => logs.append(id, line)),
  })
  const gateway = new Gateway({
    connect: (id, socket) => supervisor.connect(id, socket),
    lend: (id, socket) => supervisor.lend(id, socket),
    inherited: config.inherited,
    onAcceptError: error => log?.('warn', ACCEPT_FAILED, errorFields(error)),
  })
  const addresses = new Addresses(files.store, gateway)
  const sdk = config.sdk ?? join(dirname(instanceProgram), 'server.js')
  const below = {
    ...files,
    logs,
    requestMetrics,
    destinations,
    egress,
    supervisor,
    addresses,
    background,
    frontDoors: new FrontDoors(),
    origin,
  }
  const toolchain = createToolchain({ directory: home.cache, sdk, closing })
  const programSources = new ProgramSources(home.programSources, files.archives, toolchain.dependencies)
  return {
    ...below,
    signIns: new SignIns(below, new ApiKeys(files.store, clock)),
    toolchain,
    programSources,
    programs: new ProgramFolders({
      directory: home.programs,
      packages: home.packages,
      hidden: [...new Set([home.home, dirname(home.config)])],
    }),
    packages: new Packages(home.packages, closing),
    gateway,
    containers: new Containers({
      home: home.home,
      marker: home.containersUsed,
      isHeir: config.inherited !== undefined,
    }),
    images: lazyImages(config, files, programSources),
    registry: config.registry ?? {},
    backups: new Backups({ ...backupSettings(config), closing }),
    unknownFiles: new UnknownFiles(home.unknownFiles, clock),
    closing,
    clock,
  }
}

export function backupSettings({ home, instanceProgram, databaseProgram }: DaemonConfig): BackupSettings {
  const isOfEnvironment = homePaths().home === home.home
  return {
    program: databaseProgram ?? join(dirname(instanceProgram), 'database.js'),
    env: isOfEnvironment ? process.env : { ...process.env, MCP_HOME: home.home },
    directory: home.backups,
  }
}

/** Nothing of what makes images is loaded before one is made. */
function lazyImages(
  { home, instanceProgram, registry }: DaemonConfig,
  { artifacts }: Files,
  programSources: ProgramSources,
): Rooms['images'] {
  const images = new Lazy(async () => {
    const { Images } = await import('./services/images.ts')
    return new Images({
      directory: home.images,
      standaloneProgram: join(dirname(instanceProgram), 'standalone.js.gz'),
      artifacts,
      packages: home.packages,
      sourceFolder: digest => programSources.folder(digest),
      defaultBase: registry?.baseImage,
      dockerConfig: registry?.dockerConfig,
    })
  })
  return () => images.get()
}
