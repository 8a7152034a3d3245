import type { BackupReason } from '../shared/backups.ts'
import { IdleMemory } from '../shared/idle-memory.ts'
import type { HomePaths } from '../shared/paths.ts'
import { VERSION } from '../shared/version.ts'
import { ApiServer, type CreateListener, listenerOf } from './api-server.ts'
import { backUpBeforeMigration } from './back-up-before-migration.ts'
import { finishSwap } from './backup/swap-database.ts'
import { SourceArchives } from './builder/archive/source-archives.ts'
import { ArtifactStore } from './builder/artifact-store.ts'
import { openStorage, type StorageSettings } from './builder/storage/open-storage.ts'
import { ACCEPT_FAILED, backupSettings, createRooms, type Files } from './create-rooms.ts'
import { errorFields } from './daemon-log.ts'
import type { FrontDoorPorts } from './gateway/front-doors.ts'
import type { InheritedSockets } from './gateway/inherited-sockets.ts'
import { createHandOver, type HandOver } from './hand-over.ts'
import type { Upgrades } from './http/api/daemon.ts'
import { createApp } from './http/app.ts'
import { prepareHome } from './prepare-home.ts'
import { requireDatabase } from './require-database.ts'
import { LogRotator } from './runtime/log-rotator.ts'
import type { PoolLimits } from './runtime/pool-limits.ts'
import { Backups, watchBackups } from './services/backups.ts'
import { takeFailure } from './services/failures.ts'
import { watchHeldPorts } from './services/held-ports.ts'
import { HostNames } from './services/host-names.ts'
import { ensureOwnerKey } from './services/owner-key.ts'
import { reconcile } from './services/reconcile.ts'
import { restoreArtifacts } from './services/restore.ts'
import type { RegistrySettings, Rooms } from './services/rooms.ts'
import { openDatabaseSecrets } from './services/secret-key.ts'
import { createServices, type Services } from './services/services.ts'
import { openStore } from './store/store.ts'
import { removeUnfinished } from './unfinished.ts'

export interface DaemonConfig {
  home: HomePaths
  /** 0 picks one. */
  port: number
  /** Path of the bundled instance program. */
  instanceProgram: string
  /** Path of the bundled `mcp-hosting/server`, for handler modules; by default beside the instance program. */
  sdk?: string
  /** Path of `database.js`, which makes backups; next to the instance program by default. */
  databaseProgram?: string
  /** Repeated by `GET /health`. */
  nonce: string
  startedAt: string
  /** Of the named gateway; without them no server is found by name. */
  namedPorts?: FrontDoorPorts
  /** Starts a home that has lost its database with a new one. */
  newDatabase?: boolean | undefined
  /** Starts with a new or another `secret.key`. Values encrypted with the old one are lost. */
  newSecretKey?: boolean | undefined
  /** Where sources and artifacts are kept; by default in the home. */
  storage?: StorageSettings | undefined
  /** Where container builds push their images. */
  registry?: RegistrySettings
  warmSpares?: number
  /** JavaScript heap of an instance process. */
  memoryLimitMb?: number
  /** An instance process that answers nothing for so long is killed. */
  patienceMs?: number
  /** For tests: addresses that the network border takes for public ones. */
  publicAddresses?: readonly string[]
  /** Of each deployment's instances. */
  poolLimits?: Partial<PoolLimits>
  /** Requests an hour of enterprise keys, the owner's among them. */
  enterpriseLimit?: number
  clock?: () => Date
  /** POST /api/daemon/stop was answered: whoever made the daemon closes it now. */
  requestStop?(): void
  /** What `POST /api/daemon/upgrade` asks for. */
  upgrades?: Upgrades
  /** The world is as the store says; after this the API answers. */
  onReady?(url: string): void
  /** Listening sockets of the daemon before this one, by port: the servers are started before they are listened on. */
  inherited?: InheritedSockets
  log?(level: 'warn' | 'error', message: string, fields: Record<string, unknown>): void
}

export interface Daemon {
  url: string
  port: number
  /** The key that the credentials file holds for the local context. */
  ownerKey: string
  /** Ends everything that was started; resolves when it has ended. `tell`: hears what is ended next. */
  close(tell?: (step: string) => void): Promise<void>
  /** Throws what `Backups.create` does. */
  backUp(reason: BackupReason): Promise<unknown>
  /** For a daemon that is to take over. */
  handOver: HandOver
  /** Of the process behind the network border, undefined while no code has needed it. */
  egressPid(): number | undefined
}

/**
 * The composition root: builds every room, connects them, makes the world as the store says, and only then answers.
 * Throws UNAVAILABLE for a home or database that cannot be used and CONFLICT for a port that is taken.
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

/** The port is taken before anything is started, so that a second daemon disturbs nothing of the first. */
async function startDaemon(config: DaemonConfig, files: Files): Promise<Daemon> {
  const { inherited } = config
  const api = await ApiServer.open(config.port, inherited?.get(config.port))
  inherited?.delete(config.port)
  const { rooms, services, createListener, end } = await connectRooms(config, files, api.url).catch(
    async error => {
      await api.close(0)
      throw error
    },
  )
  const close = async (tell: (step: string) => void = () => {}) => {
    end()
    rooms.frontDoors.close()
    const steps: [name: string, run: () => unknown][] = [
      ['listeners', () => Promise.all([api.close(), rooms.gateway.closeAll()])],
      ['instances', () => rooms.supervisor.close()],
      ['egress', () => rooms.egress.close()],
      ['metrics', () => [rooms.requestMetrics.flush(), rooms.destinations.flush()]],
      ['containers', () => rooms.containers.end()],
      ['background work', () => rooms.background.settle()],
      ['sign-ins', () => rooms.signIns.close()],
      ['database', () => rooms.store.close()],
    ]
    for (const [name, run] of steps) {
      tell(name)
      await run()
    }
  }
  try {
    const ownerKey = ensureOwnerKey(services.apiKeys, config.home.credentials)
    if (config.storage) await restoreArtifacts(rooms)
    rooms.background.run(() => rooms.containers.begin())
    await reconcile({ rooms, ...services }, { startFirst: inherited !== undefined })
    watchHeldPorts({ rooms, ...services })
    watchBackups(rooms, rooms.backups)
    await services.containerBuilds.resume()
    await openFrontDoors(rooms, config)
    config.onReady?.(api.url)
    api.serve(createListener)
    const handOver = createHandOver({ api, rooms, close })
    const backUp = (reason: BackupReason) => rooms.backups.create(reason)
    const egressPid = () => rooms.egress.pid
    return { url: api.url, port: api.port, ownerKey, close, backUp, handOver, egressPid }
  } catch (error) {
    await close()
    throw error
  }
}

async function openFrontDoors(
  { frontDoors, store, supervisor }: Rooms,
  { namedPorts, home, log, inherited }: DaemonConfig,
) {
  if (!namedPorts) return
  const hostNames = new HostNames(store)
  await frontDoors.open({
    ports: namedPorts,
    tlsDir: home.tls,
    inherited,
    resolve: hostname => hostNames.resolve(hostname),
    connect: (id, socket, named) => supervisor.connect(id, socket, named),
    onAcceptError: error => log?.('warn', ACCEPT_FAILED, errorFields(error)),
    onDropped: error => log?.('warn', 'a connection to a server by its name was dropped', errorFields(error)),
    onTaken: (port, error) =>
      log?.('warn', `no server is found by name at port ${port}: it is taken`, errorFields(error)),
    onCertificate: problem => log?.('warn', problem, {}),
  })
}

/** Builds the rooms from below upward; `end` tells them that no more is to be begun. */
async function connectRooms(config: DaemonConfig, files: Files, origin: string) {
  const closing = new AbortController()
  const onFailed = (id: string, error: Error) =>
    rooms.background.attempt(() => takeFailure(rooms, services, id, error))
  const rooms = createRooms(config, { files, onFailed, closing: closing.signal, origin })
  const services = await createServicesOf(rooms, config)
  const rotator = new LogRotator(rooms.supervisor, rooms.logs, rooms.background.report)
  const memory = new IdleMemory({ whenBusy: true })
  const createListener: CreateListener = apiClosing =>
    listenerOf(
      createApp({
        services,
        closing: AbortSignal.any([closing.signal, apiClosing]),
        health: { nonce: config.nonce, version: VERSION, pid: process.pid, startedAt: config.startedAt },
        requestStop: () => config.requestStop?.(),
        ...(config.upgrades && { upgrades: config.upgrades }),
        log: (message, error, fields) => config.log?.('error', message, { ...fields, ...errorFields(error) }),
      }),
      memory,
    )
  const end = () => {
    rooms.background.closing = true
    rooms.background.run(() => rotator.close())
    closing.abort()
  }
  return { rooms, services, createListener, end }
}

/** When it throws, the spares that the runtime began to start have ended. */
async function createServicesOf(rooms: Rooms, { enterpriseLimit }: DaemonConfig): Promise<Services> {
  try {
    return createServices(rooms, enterpriseLimit)
  } catch (error) {
    await rooms.supervisor.close()
    throw error
  }
}
