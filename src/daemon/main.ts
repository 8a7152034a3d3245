import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Discovery, homePaths } from '../shared/paths.ts'
import { VERSION } from '../shared/version.ts'
import { closeInherited } from './close-inherited.ts'
import { prepareControlGroups } from './control-groups.ts'
import { createDaemon, type Daemon } from './daemon.ts'
import { errorFields, logDaemon, rotateDaemonLog, startFailure } from './daemon-log.ts'
import { findLeftoverDiscovery, removeDiscovery, repairDiscovery, writeDiscovery } from './home/discovery.ts'
import { lockHome } from './home/home-lock.ts'
import { readStorage } from './home/storage-settings.ts'
import { parseCount, parseMemoryLimit, parsePort, readNamedPorts, readRegistry } from './settings.ts'
import type { InheritedState } from './upgrade/hand-over.ts'
import { UpgradeRequests } from './upgrade/upgrade-requests.ts'

const LOG_CHECK_MS = 3_600_000
/** After this time, the process exits. Instances stop when their IPC channel closes, and the state is in SQLite. */
const CLOSE_LIMIT_MS = 20_000
/** Longer than the 60 s after which open connections are closed (runtime/pool/pool-options.ts). */
const DRAIN_LIMIT_MS = 90_000

const isSuccessor = process.argv.includes('--take-over')

try {
  if (isSuccessor) await takeOver()
  else await startAlone()
} catch (error) {
  logDaemon('error', 'the daemon could not start', errorFields(error))
  const failure = startFailure(error)
  if (isSuccessor) (await import('./upgrade/take-over.ts')).reportFailure(failure)
  console.error(JSON.stringify(failure))
  process.exit(1)
}

async function startAlone(): Promise<void> {
  closeInherited()
  await run(lockHome(homePaths()))
}

/** Starts as the successor of a running daemon. */
async function takeOver(): Promise<void> {
  const { waitForTakeOver, waitForHomeLock, reportServing } = await import('./upgrade/take-over.ts')
  const inheritance = await waitForTakeOver()
  await run(await waitForHomeLock(homePaths()), { inheritance, reportServing })
}

interface Predecessor {
  inheritance: InheritedState
  reportServing(): Promise<void>
}

/** Starts the daemon, waits for a stop or an upgrade, then closes everything. */
async function run(lock: { release(): void }, predecessor?: Predecessor): Promise<void> {
  const paths = homePaths()
  prepareControlGroups()
  rotateDaemonLog(paths.daemonLog)
  setInterval(() => rotateDaemonLog(paths.daemonLog), LOG_CHECK_MS).unref()

  const nonce = randomBytes(16).toString('hex')
  const startedAt = new Date().toISOString()
  let discovery: Discovery | undefined
  const repair = () => {
    try {
      if (discovery) repairDiscovery(paths, discovery)
    } catch (error) {
      logDaemon('warn', 'cannot repair the discovery file', errorFields(error))
    }
  }
  const stop = stopRequest(repair)
  const inheritance = predecessor?.inheritance
  if (!predecessor) reportUncleanShutdown(findLeftoverDiscovery(paths))
  const program = fileURLToPath(import.meta.url)
  const upgrades = new UpgradeRequests({ program, paths, lock })
  const daemon = await createDaemon({
    home: paths,
    port: inheritance?.apiPort ?? parsePort(process.env.MCP_PORT),
    namedPorts: { ...readNamedPorts(process.env), ...inheritance?.namedPorts },
    ...(inheritance && { inherited: inheritance.sockets }),
    registry: readRegistry(process.env),
    storage: readStorage(process.env),
    newDatabase: process.argv.includes('--new-database'),
    newSecretKey: process.argv.includes('--new-secret-key'),
    instanceProgram: fileURLToPath(new URL('./instance.js', import.meta.url)),
    nonce,
    startedAt,
    warmSpares: parseCount('MCP_WARM_SPARES', process.env.MCP_WARM_SPARES),
    memoryLimitMb: parseMemoryLimit(process.env.MCP_INSTANCE_MEMORY_MB),
    enterpriseLimit: parseCount('MCP_ENTERPRISE_LIMIT', process.env.MCP_ENTERPRISE_LIMIT),
    requestStop: () => stop.now('requested through the API'),
    upgrades,
    onReady(url) {
      discovery = { url, pid: process.pid, nonce, startedAt, version: VERSION }
      writeDiscovery(paths, discovery)
    },
    log: logDaemon,
  })
  upgrades.daemon = daemon
  logDaemon('info', `listening on ${daemon.url}`, { pid: process.pid, version: VERSION, home: paths.home })
  await predecessor?.reportServing()

  const end = await Promise.race([stop.requested.then(reason => ({ reason })), upgrades.done])
  discovery = undefined
  if ('successor' in end) await drainFor(end.successor, daemon)
  else await close(end.reason, daemon)
  removeDiscovery(paths, nonce)
  upgrades.lock.release()
  logDaemon('info', 'stopped')
  process.exit(0)
}

/** Closes the daemon. Returns after `CLOSE_LIMIT_MS` at the latest, so that the home is left clean. */
async function close(reason: string, daemon: Daemon): Promise<void> {
  logDaemon('info', `stopping: ${reason}`)
  const late = Promise.withResolvers<string>()
  setTimeout(late.resolve, CLOSE_LIMIT_MS, `it took more than ${CLOSE_LIMIT_MS / 1000} s`).unref()
  // The event loop is empty. Node would exit with code 13 here and leave the discovery file behind.
  process.once('beforeExit', () => late.resolve('the event loop is empty'))
  let currentStep = ''
  const closed = daemon.close(step => {
    currentStep = step
  })
  const unclosed = await Promise.race([closed, late.promise])
  if (unclosed !== undefined) logDaemon('warn', `shutdown incomplete: ${unclosed}`, { step: currentStep })
}

/** Lets open connections finish. Exits on a signal, when the successor exits, and after `DRAIN_LIMIT_MS` at the latest. */
async function drainFor(successor: ChildProcess, daemon: Daemon): Promise<void> {
  logDaemon('info', `daemon ${successor.pid} has taken over, waiting for open connections`)
  successor.once('disconnect', () => process.exit(0))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
  setTimeout(() => process.exit(0), DRAIN_LIMIT_MS).unref()
  await daemon.handOver.finish()
}

/** Logs that the previous daemon was killed or crashed, because it could not log that itself. */
function reportUncleanShutdown(leftover: ReturnType<typeof findLeftoverDiscovery>): void {
  if (!leftover) return
  const { pid, startedAt } = leftover
  logDaemon('warn', 'the previous daemon did not shut down cleanly: it was killed or crashed', {
    pid,
    startedAt,
  })
}

function stopRequest(onHangup: () => void): { requested: Promise<string>; now: (reason: string) => void } {
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  // Closing a terminal must not stop the servers.
  process.on('SIGHUP', onHangup)
  // Crash-only design: exit immediately. The next start reconciles from SQLite (docs/architecture.md).
  process.on('uncaughtException', error => {
    logDaemon('error', 'uncaught exception, exiting', errorFields(error))
    process.exit(70)
  })
  process.on('exit', code => {
    if (code !== 0) logDaemon('error', 'exiting', { code })
  })
  return { requested: promise, now: resolve }
}
