import { mkdirSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { HostingError } from '../shared/errors.ts'
import type { HomePaths } from '../shared/paths.ts'
import { VERSION } from '../shared/version.ts'
import { ArtifactStore } from './builder/artifact-store.ts'
import { Gateway } from './gateway/gateway.ts'
import { createApp } from './http/app.ts'
import { closeServer, listen } from './http/listen.ts'
import { LogRotator } from './runtime/log-rotator.ts'
import { LogStore } from './runtime/logs.ts'
import { Supervisor } from './runtime/supervisor.ts'
import { Addresses } from './services/addresses.ts'
import { Background } from './services/background.ts'
import { createClock } from './services/clock.ts'
import { takeFailure } from './services/failures.ts'
import { startLogRotation } from './services/log-rotation.ts'
import { ensureOwnerKey } from './services/owner-key.ts'
import { reconcile } from './services/reconcile.ts'
import type { Rooms } from './services/rooms.ts'
import { openSecretBox } from './services/secrets.ts'
import { createServices } from './services/services.ts'
import { openStore, type Store } from './store/store.ts'

export interface DaemonConfig {
  home: HomePaths
  /** 0 picks one. */
  port: number
  /** Path of the bundled instance program. */
  instanceProgram: string
  /** Repeated by `GET /health`. */
  nonce: string
  startedAt: string
  warmSpares?: number
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

/**
 * The composition root: builds every room, connects them, makes the world as the store says, and only then answers.
 * Throws UNAVAILABLE for a home or database that cannot be used and CONFLICT for a port that is taken.
 */
export async function createDaemon(config: DaemonConfig): Promise<Daemon> {
  prepareHome(config.home)
  const store = openStore(config.home.database)
  try {
    return await startDaemon(config, store)
  } catch (error) {
    store.close()
    throw error
  }
}

async function startDaemon(config: DaemonConfig, store: Store): Promise<Daemon> {
  const log = config.log ?? (() => {})
  const rooms = connectRooms(config, store, (id, error) => takeFailure(rooms, services, id, error))
  const services = createServices(rooms, config.enterpriseLimit)
  const closing = new AbortController()
  const app = createApp({
    services,
    closing: closing.signal,
    health: { nonce: config.nonce, version: VERSION, pid: process.pid, startedAt: config.startedAt },
    requestStop: () => config.requestStop?.(),
    log: (message, fields) => log('error', message, fields),
  })

  const rotator = new LogRotator(rooms.supervisor, rooms.logs, error =>
    log('error', 'a log could not be rotated', { error }),
  )
  const gate = createGate(getRequestListener(app.fetch))
  const { server, port } = await listen(config.port, gate.listener)
  const stopLogRotation = startLogRotation(rooms)
  const close = async () => {
    stopLogRotation()
    rooms.background.closing = true
    closing.abort()
    await rotator.close()
    await Promise.all([closeServer(server, CLOSE_GRACE_MS), rooms.gateway.closeAll()])
    await rooms.supervisor.close()
    await rooms.background.settle()
    store.close()
  }
  try {
    const ownerKey = ensureOwnerKey(services.apiKeys, config.home.credentials)
    await reconcile({ rooms, ...services })
    gate.open()
    return { url: `http://127.0.0.1:${port}`, port, ownerKey, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Everything below the services. Lower rooms report upward by the callbacks given here. */
function connectRooms(
  config: DaemonConfig,
  store: Store,
  onFailed: (id: string, error: Error) => void,
): Rooms {
  const { home, log } = config
  const background = new Background(error => log?.('error', 'background work failed', { error }))
  const logs = new LogStore(home.logs)
  const supervisor = new Supervisor({
    instanceProgram: config.instanceProgram,
    logsDir: home.logs,
    ...(config.warmSpares === undefined ? {} : { warmSpares: config.warmSpares }),
    onFailed,
    onEvent: (id, line) => background.run(() => logs.append(id, line)),
  })
  const gateway = new Gateway({ connect: (id, socket) => supervisor.connect(id, socket) })
  return {
    store,
    artifacts: new ArtifactStore(home.artifacts),
    supervisor,
    gateway,
    logs,
    secrets: openSecretBox(home.secretKey),
    addresses: new Addresses(store, gateway),
    background,
    clock: createClock(config.clock),
  }
}

/** Requests wait here until the world is as the store says: the port is taken first, so that two starts cannot clash later. */
function createGate(listener: RequestListener): { listener: RequestListener; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    listener: (request, response) => void promise.then(() => listener(request, response)),
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
