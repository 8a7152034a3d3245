import { dirname, join } from 'node:path'
import type { BackupReason } from '../shared/contract/daemon/backups.ts'
import { IdleMemory } from '../shared/instances/idle-memory.ts'
import { VERSION } from '../shared/version.ts'
import { ApiServer, type CreateListener, listenerOf } from './api-server.ts'
import { finishSwap } from './backup/swap-database.ts'
import { SourceArchives } from './builder/archive/source-archives.ts'
import { ArtifactStore } from './builder/artifact-store.ts'
import { openStorage } from './builder/storage/open-storage.ts'
import { ACCEPT_FAILED, backupSettings, createDependencies, type Files } from './create-dependencies.ts'
import type { DaemonConfig } from './daemon-config.ts'
import { errorFields } from './daemon-log.ts'
import { backUpBeforeMigration } from './home/back-up-before-migration.ts'
import { prepareHome } from './home/prepare-home.ts'
import { requireDatabase } from './home/require-database.ts'
import { createApp } from './http/app.ts'
import { AppFrames } from './http/app-frames.ts'
import { LogRotator } from './runtime/logs/log-rotation.ts'
import { ensureOwnerKey } from './services/access/owner-key.ts'
import { openDatabaseSecrets } from './services/access/secret-key.ts'
import { HostNames } from './services/addresses/host-names.ts'
import { watchPortConflicts } from './services/addresses/port-conflicts.ts'
import { Backups, watchBackups } from './services/backups/backups.ts'
import { fetchMissingArtifacts } from './services/builds/fetch-artifacts.ts'
import type { ServiceDependencies } from './services/dependencies.ts'
import { createServices, handleFailure, type Services } from './services/services.ts'
import { reconcile } from './services/serving/reconcile.ts'
import { openStore } from './store/store.ts'
import { createHandOver, type HandOver } from './upgrade/hand-over.ts'
import { removeUnfinished } from './upgrade/unfinished.ts'

export interface Daemon {
  url: string
  port: number
  /** The key of the local context in the credentials file. */
  ownerKey: string
  /** Stops everything that the daemon started. Calls `onStep` with the name of each step. */
  close(onStep?: (step: string) => void): Promise<void>
  /** Throws the errors of `Backups.create`. */
  backUp(reason: BackupReason): Promise<unknown>
  /** Steps of an upgrade. */
  handOver: HandOver
  /** Process id of the egress process, which starts when code first needs it. Undefined while it is not running. */
  egressPid(): number | undefined
}

/**
 * The composition root. Creates and connects all services, restores the stored state, and then serves the API. Throws
 * UNAVAILABLE for an unusable home or database, and CONFLICT for a port in use.
 */
export async function createDaemon(config: DaemonConfig): Promise<Daemon> {
  prepareHome(config.home)
  removeUnfinished(config.home)
  finishSwap(config.home.database)
  requireDatabase(config.home, { isNew: config.newDatabase })
  await backUpBeforeMigration(config.home.database, new Backups(backupSettings(config)))
  const store = openStore(config.home.database)
  try {
    const storage = await openStorage(config.home.home, config.storage)
    return await startDaemon(config, {
      store,
      storage,
      artifacts: new ArtifactStore(config.home.artifacts, storage),
      archives: new SourceArchives(config.home.sources, storage),
      secrets: openDatabaseSecrets(store, config.home.secretKey, { replace: config.newSecretKey }),
    })
  } catch (error) {
    store.close()
    throw error
  }
}

/** Opens the port before anything starts, so that a second daemon does not disturb the first. */
async function startDaemon(config: DaemonConfig, files: Files): Promise<Daemon> {
  const { inherited } = config
  const api = await ApiServer.open(config.port, inherited?.get(config.port))
  inherited?.delete(config.port)
  const { deps, services, createListener, appFrames, beginClose } = await connectDependencies(
    config,
    files,
    api.url,
  ).catch(async error => {
    await api.close(0)
    throw error
  })
  const close = async (onStep: (step: string) => void = () => {}) => {
    beginClose()
    deps.publicListeners.close()
    const steps: [name: string, run: () => unknown][] = [
      ['listeners', () => Promise.all([api.close(), appFrames.close(), deps.gateway.closeAll()])],
      ['instances', () => deps.supervisor.close()],
      ['stores', () => deps.states.close()],
      ['egress', () => deps.egress.close()],
      ['metrics', () => [deps.requestMetrics.flush(), deps.destinations.flush()]],
      ['containers', () => deps.containers.close()],
      ['background work', () => deps.background.settle()],
      ['sign-ins', () => deps.signIns.close()],
      ['events', () => deps.changes.close()],
      ['database', () => deps.store.close()],
    ]
    for (const [name, run] of steps) {
      onStep(name)
      await run()
    }
  }
  try {
    const ownerKey = ensureOwnerKey(services.apiKeys, config.home.credentials)
    if (config.storage) await fetchMissingArtifacts(deps)
    deps.background.run(() => deps.containers.start())
    await services.serverRemoval.resume()
    await reconcile({ deps, ...services }, { startFirst: inherited !== undefined })
    watchPortConflicts({ deps, ...services })
    await services.temporaryBuilds.watch()
    watchBackups(deps, deps.backups, config.backupDelayMs)
    await services.containerBuilds.resume()
    await openPublicListeners(deps, config)
    config.onReady?.(api.url)
    api.serve(createListener)
    const handOver = createHandOver({ api, deps, close })
    const backUp = (reason: BackupReason) => deps.backups.create(reason)
    const egressPid = () => deps.egress.pid
    return { url: api.url, port: api.port, ownerKey, close, backUp, handOver, egressPid }
  } catch (error) {
    await close()
    throw error
  }
}

async function openPublicListeners(
  {
    publicListeners,
    store,
    supervisor,
  }: Pick<ServiceDependencies, 'publicListeners' | 'store' | 'supervisor'>,
  { namedPorts, home, log, inherited }: DaemonConfig,
) {
  if (!namedPorts) return
  const hostNames = new HostNames(store)
  await publicListeners.open({
    ports: namedPorts,
    tlsDir: home.tls,
    inherited,
    resolve: hostname => hostNames.resolve(hostname),
    connect: (id, socket, named) => supervisor.connect(id, socket, named),
    onAcceptError: error => log?.('warn', ACCEPT_FAILED, errorFields(error)),
    onDropped: error => log?.('warn', 'dropped a connection to a host name', errorFields(error)),
    onTaken: (port, error) => log?.('warn', `cannot serve host names on port ${port}`, errorFields(error)),
    onCertificate: problem => log?.('warn', problem, {}),
  })
}

/** Creates the dependencies, then the services. `beginClose` stops new work. */
async function connectDependencies(config: DaemonConfig, files: Files, origin: string) {
  const closing = new AbortController()
  const onFailed = (id: string, error: Error) =>
    deps.background.attempt(() => handleFailure(deps, services, id, error))
  const deps = createDependencies(config, { files, onFailed, closing: closing.signal, origin })
  const services = await createServicesOrClose(deps, config)
  const rotator = new LogRotator(deps.supervisor, deps.logs, deps.background.report)
  const memory = new IdleMemory({ whenBusy: true })
  const consoleFolder = join(dirname(config.instanceProgram), 'console')
  const appFrames = new AppFrames(consoleFolder)
  const createListener: CreateListener = apiClosing =>
    listenerOf(
      createApp({
        services,
        closing: AbortSignal.any([closing.signal, apiClosing]),
        health: { nonce: config.nonce, version: VERSION, pid: process.pid, startedAt: config.startedAt },
        namedPorts: config.namedPorts,
        consoleFolder,
        appFrames,
        requestStop: () => config.requestStop?.(),
        ...(config.upgrades && { upgrades: config.upgrades }),
        log: (message, error, fields) => config.log?.('error', message, { ...fields, ...errorFields(error) }),
      }),
      memory,
    )
  const beginClose = () => {
    memory.close()
    deps.background.closing = true
    deps.background.run(() => rotator.close())
    closing.abort()
  }
  return { deps, services, createListener, appFrames, beginClose }
}

/** Creates the services. If that fails, stops the instances that are already starting. */
async function createServicesOrClose(
  deps: ServiceDependencies,
  { enterpriseLimit }: DaemonConfig,
): Promise<Services> {
  try {
    return createServices(deps, enterpriseLimit)
  } catch (error) {
    await deps.supervisor.close()
    throw error
  }
}
