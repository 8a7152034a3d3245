import { dirname, join } from 'node:path'
import { Lazy } from '../shared/lazy.ts'
import { homePaths } from '../shared/paths.ts'
import { Packages } from './builder/program/packages.ts'
import { ProgramFolders } from './builder/program/program-folders.ts'
import { ProgramSources } from './builder/program/program-sources.ts'
import { createToolchain } from './builder/project/toolchain.ts'
import type { DaemonConfig } from './daemon-config.ts'
import { errorFields } from './daemon-log.ts'
import { Containers } from './engine/container-engine.ts'
import { Gateway } from './gateway/gateway.ts'
import { PublicListeners } from './gateway/public-listeners.ts'
import { LogStore } from './runtime/logs/log-store.ts'
import { EgressLink } from './runtime/process/egress-link.ts'
import { Supervisor } from './runtime/supervisor.ts'
import { ApiKeys } from './services/access/api-keys.ts'
import { SignIns } from './services/access/sign-ins.ts'
import { Addresses } from './services/addresses/addresses.ts'
import { Background } from './services/background.ts'
import { type BackupSettings, Backups } from './services/backups/backups.ts'
import { UnknownFiles } from './services/backups/unknown-files.ts'
import { createClock } from './services/clock.ts'
import type { ServiceDependencies } from './services/dependencies.ts'
import { ChangeFeed } from './services/events/change-feed.ts'
import { RequestMetrics } from './services/metrics/request-metrics.ts'
import { ReplacedFiles } from './services/prune/replaced-files.ts'
import { Destinations } from './services/serving/destinations.ts'
import { StateStores } from './state/state-stores.ts'

/** Database, object storage, artifacts, archives and secrets that all services share. */
export type Files = Pick<ServiceDependencies, 'store' | 'storage' | 'artifacts' | 'archives' | 'secrets'>

export interface DependenciesOptions {
  files: Files
  /** Called when the runtime gives up on a deployment or preview. */
  onFailed(id: string, error: Error): void
  closing: AbortSignal
  /** URL of the API. */
  origin: string
}

export const ACCEPT_FAILED =
  "Cannot accept connections to servers. Free memory, close files, or raise the system's limits (ulimit -n)."

/** Creates everything that services use. Lower modules report upward through the callbacks set here. */
export function createDependencies(
  config: DaemonConfig,
  { files, onFailed, closing, origin }: DependenciesOptions,
): ServiceDependencies {
  const { home, log, instanceProgram, warmSpares, memoryLimitMb, hangTimeoutMs, poolLimits } = config
  const background = new Background(error => log?.('error', 'background work failed', errorFields(error)))
  const logs = new LogStore(home.logs)
  const clock = createClock(config.clock, files.store.latestTime())
  const requestMetrics = new RequestMetrics({ store: files.store, clock, onError: background.report })
  const destinations = new Destinations({
    store: files.store,
    clock,
    onError: background.report,
    onRefused: (id, line) => background.run(() => logs.append(id, line)),
  })
  const changes = new ChangeFeed({ store: files.store, clock, onError: background.report })
  const egress = new EgressLink({
    program: join(dirname(instanceProgram), 'egress.js'),
    publicAddresses: config.publicAddresses,
    onTraffic: (id, counts) => background.attempt(() => destinations.record(id, counts)),
    onError: message => log?.('error', message, {}),
  })
  const states = new StateStores({
    program: join(dirname(backupSettings(config).program), 'state.js'),
    directory: home.state,
    unfinished: home.unfinishedState,
    now: () => Date.parse(clock.wallTime()),
    onError: background.report,
  })
  const supervisor = new Supervisor({
    egress,
    stores: states,
    instanceProgram,
    logsDir: home.logs,
    ...(warmSpares === undefined ? {} : { warmSpares }),
    ...(memoryLimitMb === undefined ? {} : { memoryLimitMb }),
    ...(hangTimeoutMs === undefined ? {} : { hangTimeoutMs }),
    ...(poolLimits === undefined ? {} : { limits: poolLimits }),
    onFailed,
    onTraffic: (id, series) => background.attempt(() => requestMetrics.record(id, series)),
    onEvent: (id, line) => background.run(() => logs.append(id, line)),
    onInstance: (served, instance) => changes.publishInstance(served, instance),
  })
  const gateway = new Gateway({
    connect: (id, socket) => supervisor.connect(id, socket),
    shareSocket: (id, socket) => supervisor.shareSocket(id, socket),
    inherited: config.inherited,
    onAcceptError: error => log?.('warn', ACCEPT_FAILED, errorFields(error)),
  })
  const addresses = new Addresses(files.store, gateway)
  const sdk = config.sdk ?? join(dirname(instanceProgram), 'server.js')
  const shared = {
    ...files,
    logs,
    requestMetrics,
    changes,
    destinations,
    egress,
    states,
    supervisor,
    addresses,
    background,
    publicListeners: new PublicListeners(),
    origin,
  }
  const toolchain = createToolchain({ directory: home.cache, sdk, closing })
  const programSources = new ProgramSources(home.programSources, files.archives, toolchain.dependencies)
  return {
    ...shared,
    signIns: new SignIns(shared, new ApiKeys(files.store, clock)),
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
      isSuccessor: config.inherited !== undefined,
    }),
    images: lazyImages(config, files, programSources),
    registry: config.registry ?? {},
    backups: new Backups({ ...backupSettings(config), closing }),
    unknownFiles: new UnknownFiles(home.unknownFiles, clock),
    replacedFiles: new ReplacedFiles(home, clock),
    closing,
    clock,
    audit: (action, fields) => log?.('info', action, fields),
  }
}

export function backupSettings({ home, instanceProgram, databaseProgram }: DaemonConfig): BackupSettings {
  const isDefaultHome = homePaths().home === home.home
  return {
    program: databaseProgram ?? join(dirname(instanceProgram), 'database.js'),
    env: isDefaultHome ? process.env : { ...process.env, MCP_HOME: home.home },
    directory: home.backups,
  }
}

/** Loads the code for images when the first image is built. */
function lazyImages(
  { home, instanceProgram, registry }: DaemonConfig,
  { artifacts }: Files,
  programSources: ProgramSources,
): ServiceDependencies['images'] {
  const images = new Lazy(async () => {
    const { Images } = await import('./services/builds/images.ts')
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
