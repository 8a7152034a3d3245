import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { homePaths } from '../shared/paths.ts'
import { VERSION } from '../shared/version.ts'
import { createDaemon } from './daemon.ts'
import { errorFields, logDaemon, rotateDaemonLog, startFailure } from './daemon-log.ts'
import { removeDiscovery, writeDiscovery } from './discovery.ts'
import { lockHome } from './home-lock.ts'
import { parseCount, parseMemoryLimit, parsePort, readNamedPorts, readRegistry } from './settings.ts'
import { readStorage } from './storage-settings.ts'

const LOG_CHECK_MS = 3_600_000
/** What has not ended by then ends with the process: instances leave with their IPC channel, the state is in SQLite. */
const CLOSE_LIMIT_MS = 20_000

try {
  await run()
} catch (error) {
  logDaemon('error', 'the daemon could not start', errorFields(error))
  console.error(JSON.stringify(startFailure(error)))
  process.exit(1)
}

/** Lock, start, tell where; then wait for a signal or a stop request, and go back in reverse. */
async function run(): Promise<void> {
  const paths = homePaths()
  const lock = lockHome(paths)
  rotateDaemonLog(paths.daemonLog)
  setInterval(() => rotateDaemonLog(paths.daemonLog), LOG_CHECK_MS).unref()

  const nonce = randomBytes(16).toString('hex')
  const startedAt = new Date().toISOString()
  const stop = stopRequest()
  const daemon = await createDaemon({
    home: paths,
    port: parsePort(process.env.MCP_PORT),
    namedPorts: readNamedPorts(process.env),
    registry: readRegistry(process.env),
    storage: readStorage(process.env),
    instanceProgram: fileURLToPath(new URL('./instance.js', import.meta.url)),
    nonce,
    startedAt,
    warmSpares: parseCount('MCP_WARM_SPARES', process.env.MCP_WARM_SPARES),
    memoryLimitMb: parseMemoryLimit(process.env.MCP_INSTANCE_MEMORY_MB),
    enterpriseLimit: parseCount('MCP_ENTERPRISE_LIMIT', process.env.MCP_ENTERPRISE_LIMIT),
    requestStop: () => stop.now('asked through the API'),
    log: logDaemon,
  })
  writeDiscovery(paths, { url: daemon.url, pid: process.pid, nonce, startedAt, version: VERSION })
  logDaemon('info', `listening on ${daemon.url}`, { pid: process.pid, version: VERSION, home: paths.home })

  const reason = await stop.requested
  logDaemon('info', `stopping: ${reason}`)
  setTimeout(() => process.exit(0), CLOSE_LIMIT_MS).unref()
  await daemon.close()
  removeDiscovery(paths, nonce)
  lock.release()
  logDaemon('info', 'stopped')
  process.exit(0)
}

function stopRequest(): { requested: Promise<string>; now: (reason: string) => void } {
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  // A terminal that closes must not take the servers of its user with it.
  process.on('SIGHUP', () => logDaemon('info', 'ignored SIGHUP'))
  // Crash-only: an unknown state is left at once; the next start reconciles from SQLite (docs/architecture.md).
  process.on('uncaughtException', error => {
    logDaemon('error', 'uncaught exception, exiting', errorFields(error))
    process.exit(70)
  })
  return { requested: promise, now: resolve }
}
