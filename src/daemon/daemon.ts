import { mkdirSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { HostingError } from '../shared/errors.ts'
import { IdleMemory } from '../shared/idle-memory.ts'
import type { HomePaths } from '../shared/paths.ts'
import { VERSION } from '../shared/version.ts'
import { SourceArchives } from './builder/archive/source-archives.ts'
import { ArtifactStore } from './builder/artifact-store.ts'
import { Packages } from './builder/program/packages.ts'
import { ProgramFolders } from './builder/program/program-folders.ts'
import { ProgramSources } from './builder/program/program-sources.ts'
import { createToolchain } from './builder/project/toolchain.ts'
import { openStorage, type StorageSettings } from './builder/storage/open-storage.ts'
import { errorFields } from './daemon-log.ts'
import { Containers } from './engine/container-engine.ts'
import { type FrontDoorPorts, FrontDoors } from './gateway/front-doors.ts'
import { Gateway } from './gateway/gateway.ts'
import { createApp } from './http/app.ts'
import { answerMalformed } from './http/error-envelope.ts'
import { closeServer, listen } from './http/listen.ts'
import { LogRotator } from './runtime/log-rotator.ts'
import { LogStore } from './runtime/logs.ts'
import type { PoolLimits } from './runtime/pool-limits.ts'
import { Supervisor } from './runtime/supervisor.ts'
import { Addresses } from './services/addresses.ts'
import { ApiKeys } from './services/api-keys.ts'
import { Background } from './services/background.ts'
import { createClock } from './services/clock.ts'
import { takeFailure } from './services/failures.ts'
import { HostNames } from './services/host-names.ts'
import { Images } from './services/images.ts'
import { ensureOwnerKey } from './services/owner-key.ts'
import { reconcile } from './services/reconcile.ts'
import { RequestMetrics } from './services/request-metrics.ts'
import { restoreArtifacts } from './services/restore.ts'
import type { RegistrySettings, Rooms } from './services/rooms.ts'
import { openSecretBox } from './services/secrets.ts'
import { createServices, type Services } from './services/services.ts'
import { SignIns } from './services/sign-ins.ts'
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
  /** Repeated by `GET /health`. */
  nonce: string
  startedAt: string
  /** Of the named gateway; without them no server is found by name. */
  namedPorts?: FrontDoorPorts
  /** Where sources and artifacts are kept; by default in the home. */
  storage?: StorageSettings | undefined
  /** Where container builds push their images. */
  registry?: RegistrySettings
  warmSpares?: number
  /** JavaScript heap of an instance process. */
  memoryLimitMb?: number
  /** An instance process that answers nothing for so long is killed. */
  patienceMs?: number
  /** Of each deployment's instances. */
  poolLimits?: Partial<PoolLimits>
  /** Requests an hour of enterprise keys, the owner's among them. */
  enterpriseLimit?: number
  clock?: () => Date
  /** POST /api/daemon/stop was answered: whoever made the daemon closes it now. */
  requestStop?(): void
  log?(level: 'warn' | 'error', message: string, fields: Record<string, unknown>): void
}

export interface Daemon {
  url: string
  port: number
  /** The key that the credentials file holds for the local context. */
  ownerKey: string
  /** Ends everything that was started; resolves when it has ended. */
  close(): Promise<void>
}

const CLOSE_GRACE_MS = 2000

const ACCEPT_FAILED =
  'connections to servers cannot be accepted; free memory or files of the system, or raise its limits (ulimit -n)'

/**
 * The composition root: builds every room, connects them, makes the world as the store says, and only then answers.
 * Throws UNAVAILABLE for a home or database that cannot be used and CONFLICT for a port that is taken.
 */
export async function createDaemon(config: DaemonConfig): Promise<Daemon> {
  prepareHome(config.home)
  removeUnfinished(config.home)
  const store = openStore(config.home.database)
  try {
    const storage = await openStorage(config.home.home, config.storage)
    return await startDaemon(config, {
      store,
      storage,
      artifacts: new ArtifactStore(config.home.artifacts, storage),
      archives: new SourceArchives(config.home.sources, storage),
      secrets: openSecretBox(config.home.secretKey),
    })
  } catch (error) {
    store.close()
    throw error
  }
}

type Files = Pick<Rooms, 'store' | 'storage' | 'artifacts' | 'archives' | 'secrets'>

/** The port is taken before anything is started, so that a second daemon disturbs nothing of the first. */
async function startDaemon(config: DaemonConfig, files: Files): Promise<Daemon> {
  const gate = createGate()
  const { server, port } = await listen(config.port, gate.listener)
  const { rooms, services, listener, end } = await connectRooms(config, files, port).catch(async error => {
    await closeServer(server, 0)
    throw error
  })
  const close = async () => {
    end()
    rooms.frontDoors.close()
    await Promise.all([closeServer(server, CLOSE_GRACE_MS), rooms.gateway.closeAll()])
    await rooms.supervisor.close()
    rooms.requestMetrics.flush()
    await rooms.containers.end()
    await rooms.background.settle()
    await rooms.signIns.close()
    rooms.store.close()
  }
  try {
    const ownerKey = ensureOwnerKey(services.apiKeys, config.home.credentials)
    if (config.storage) await restoreArtifacts(rooms)
    rooms.background.run(() => rooms.containers.begin())
    await reconcile({ rooms, ...services })
    await services.containerBuilds.resume()
    await openFrontDoors(rooms, config)
    gate.open(listener)
    return { url: `http://127.0.0.1:${port}`, port, ownerKey, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openFrontDoors(
  { frontDoors, store, supervisor }: Rooms,
  { namedPorts, home, log }: DaemonConfig,
) {
  if (!namedPorts) return
  const hostNames = new HostNames(store)
  await frontDoors.open({
    ports: namedPorts,
    tlsDir: home.tls,
    resolve: hostname => hostNames.resolve(hostname),
    connect: (id, socket, named) => supervisor.connect(id, socket, named),
    onAcceptError: error => log?.('warn', ACCEPT_FAILED, errorFields(error)),
    onTaken: (port, error) =>
      log?.('warn', `no server is found by name at port ${port}: it is taken`, errorFields(error)),
  })
}

/** Builds the rooms from below upward; `end` tells them that no more is to be begun. */
async function connectRooms(config: DaemonConfig, files: Files, port: number) {
  const closing = new AbortController()
  const onFailed = (id: string, error: Error) => takeFailure(rooms, services, id, error)
  const rooms = createRooms(config, { files, onFailed, closing: closing.signal, port })
  const services = await createServicesOf(rooms, config)
  const rotator = new LogRotator(rooms.supervisor, rooms.logs, rooms.background.report)
  const app = createApp({
    services,
    closing: closing.signal,
    health: { nonce: config.nonce, version: VERSION, pid: process.pid, startedAt: config.startedAt },
    requestStop: () => config.requestStop?.(),
    log: (message, error, fields) => config.log?.('error', message, { ...fields, ...errorFields(error) }),
  })
  const end = () => {
    rooms.background.closing = true
    rooms.background.run(() => rotator.close())
    closing.abort()
  }
  const serve = getRequestListener(app.fetch, { errorHandler: answerMalformed })
  const memory = new IdleMemory()
  memory.touched()
  const listener: RequestListener = (request, response) => {
    memory.touched()
    return serve(request, response)
  }
  return { rooms, services, listener, end }
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

/** Everything below the services. Lower rooms report upward by the callbacks given here. */
function createRooms(
  config: DaemonConfig,
  {
    files,
    onFailed,
    closing,
    port,
  }: { files: Files; onFailed(id: string, error: Error): void; closing: AbortSignal; port: number },
): Rooms {
  const { home, log, instanceProgram, warmSpares, memoryLimitMb, patienceMs, poolLimits } = config
  const background = new Background(error => log?.('error', 'background work failed', errorFields(error)))
  const logs = new LogStore(home.logs)
  const clock = createClock(config.clock)
  const requestMetrics = new RequestMetrics({ store: files.store, clock, onError: background.report })
  const supervisor = new Supervisor({
    instanceProgram,
    logsDir: home.logs,
    ...(warmSpares === undefined ? {} : { warmSpares }),
    ...(memoryLimitMb === undefined ? {} : { memoryLimitMb }),
    ...(patienceMs === undefined ? {} : { patienceMs }),
    ...(poolLimits === undefined ? {} : { limits: poolLimits }),
    onFailed,
    onTraffic: (id, series) => requestMetrics.take(id, series),
    onEvent: (id, line) => background.run(() => logs.append(id, line)),
  })
  const gateway = new Gateway({
    connect: (id, socket) => supervisor.connect(id, socket),
    lend: (id, socket) => supervisor.lend(id, socket),
    onAcceptError: error => log?.('warn', ACCEPT_FAILED, errorFields(error)),
  })
  const addresses = new Addresses(files.store, gateway)
  const sdk = config.sdk ?? join(dirname(instanceProgram), 'server.js')
  const below = {
    ...files,
    logs,
    requestMetrics,
    supervisor,
    addresses,
    background,
    frontDoors: new FrontDoors(),
    origin: `http://127.0.0.1:${port}`,
  }
  const toolchain = createToolchain({ directory: home.cache, sdk, closing })
  return {
    ...below,
    signIns: new SignIns(below, new ApiKeys(files.store, clock)),
    toolchain,
    programSources: new ProgramSources(home.programSources, files.archives, toolchain.dependencies),
    programs: new ProgramFolders({
      directory: home.programs,
      packages: home.packages,
      hidden: [...new Set([home.home, dirname(home.config)])],
    }),
    packages: new Packages(home.packages, closing),
    supervisor,
    gateway,
    containers: new Containers({ home: home.home, marker: home.containersUsed }),
    images: new Images({
      directory: home.images,
      standaloneProgram: join(dirname(instanceProgram), 'standalone.js'),
      artifacts: files.artifacts,
    }),
    registry: config.registry ?? {},
    backupsDir: home.backups,
    closing,
    clock,
  }
}

/** Requests that come before the world is as the store says wait here. */
function createGate(): { listener: RequestListener; open(listener: RequestListener): void } {
  const { promise, resolve } = Promise.withResolvers<RequestListener>()
  return {
    listener: (request, response) => void promise.then(serve => serve(request, response)),
    open: resolve,
  }
}

function prepareHome({ home, logs }: HomePaths): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    mkdirSync(logs, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    throw new HostingError('UNAVAILABLE', `The home ${home} cannot be written (${code}).`, {
      details: 'Make it writable and see that its disk has space, or set MCP_HOME to another folder.',
      cause,
    })
  }
}
