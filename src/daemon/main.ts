import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Discovery, homePaths } from '../shared/paths.ts'
import { VERSION } from '../shared/version.ts'
import { prepareControlGroups } from './control-groups.ts'
import { createDaemon, type Daemon } from './daemon.ts'
import { errorFields, logDaemon, rotateDaemonLog, startFailure } from './daemon-log.ts'
import { leftDiscovery, mendDiscovery, removeDiscovery, writeDiscovery } from './discovery.ts'
import { lockHome } from './home-lock.ts'
import { parseCount, parseMemoryLimit, parsePort, readNamedPorts, readRegistry } from './settings.ts'
import { readStorage } from './storage-settings.ts'
import type { Inheritance } from './take-over.ts'
import { UpgradeRequests } from './upgrade-requests.ts'

const LOG_CHECK_MS = 3_600_000
/** What has not ended by then ends with the process: instances leave with their IPC channel, the state is in SQLite. */
const CLOSE_LIMIT_MS = 20_000
/** Connections have 60 s to end (runtime/pool-limits.ts). */
const LEAVE_LIMIT_MS = 90_000

const isHeir = process.argv.includes('--take-over')

try {
  if (isHeir) await takeOver()
  else await run(lockHome(homePaths()))
} catch (error) {
  logDaemon('error', 'the daemon could not start', errorFields(error))
  const failure = startFailure(error)
  if (isHeir) (await import('./take-over.ts')).tellFailed(failure)
  console.error(JSON.stringify(failure))
  process.exit(1)
}

/** Started by a daemon that serves: its sockets are here, its home is free in a moment. */
async function takeOver(): Promise<void> {
  const { awaitTurn, lockFreedHome, tellServing } = await import('./take-over.ts')
  const inheritance = await awaitTurn()
  await run(await lockFreedHome(homePaths()), { inheritance, tellServing })
}

interface Succession {
  inheritance: Inheritance
  tellServing(): Promise<void>
}

/** Start, tell where; then wait for a signal or a request, and go back in reverse, or let another one take over. */
async function run(lock: { release(): void }, succession?: Succession): Promise<void> {
  const paths = homePaths()
  prepareControlGroups()
  rotateDaemonLog(paths.daemonLog)
  setInterval(() => rotateDaemonLog(paths.daemonLog), LOG_CHECK_MS).unref()

  const nonce = randomBytes(16).toString('hex')
  const startedAt = new Date().toISOString()
  let discovery: Discovery | undefined
  const mend = () => {
    try {
      if (discovery) mendDiscovery(paths, discovery)
    } catch (error) {
      logDaemon('warn', 'the discovery file was not written again', errorFields(error))
    }
  }
  const stop = stopRequest(mend)
  const inheritance = succession?.inheritance
  if (!succession) tellOfLast(leftDiscovery(paths))
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
    requestStop: () => stop.now('asked through the API'),
    upgrades,
    onReady(url) {
      discovery = { url, pid: process.pid, nonce, startedAt, version: VERSION }
      writeDiscovery(paths, discovery)
    },
    log: logDaemon,
  })
  upgrades.daemon = daemon
  logDaemon('info', `listening on ${daemon.url}`, { pid: process.pid, version: VERSION, home: paths.home })
  await succession?.tellServing()

  const end = await Promise.race([stop.requested.then(reason => ({ reason })), upgrades.done])
  discovery = undefined
  if ('heir' in end) await leaveTo(end.heir, daemon)
  else await close(end.reason, daemon)
  removeDiscovery(paths, nonce)
  upgrades.lock.release()
  logDaemon('info', 'stopped')
  process.exit(0)
}

/** Whatever is not closed by then, the home is left in order. */
async function close(reason: string, daemon: Daemon): Promise<void> {
  logDaemon('info', `stopping: ${reason}`)
  const late = Promise.withResolvers<string>()
  setTimeout(late.resolve, CLOSE_LIMIT_MS, `it took more than ${CLOSE_LIMIT_MS / 1000} s`).unref()
  // Nothing that is waited for can happen any more: Node would end with code 13 here, and leave the discovery file.
  process.once('beforeExit', () => late.resolve('nothing of it goes on'))
  let at = ''
  const closed = daemon.close(step => {
    at = step
  })
  const unclosed = await Promise.race([closed, late.promise])
  if (unclosed !== undefined) logDaemon('warn', `not all was closed: ${unclosed}`, { at })
}

/** What is open here ends by itself; should the new daemon end meanwhile, so does this one. */
async function leaveTo(heir: ChildProcess, daemon: Daemon): Promise<void> {
  logDaemon('info', `daemon ${heir.pid} has taken over; open connections may end`)
  heir.once('disconnect', () => process.exit(0))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
  setTimeout(() => process.exit(0), LEAVE_LIMIT_MS).unref()
  await daemon.handOver.finish()
}

/** A process that is killed, or that the system ends for want of memory, cannot write why: the next one writes that it was so. */
function tellOfLast(left: ReturnType<typeof leftDiscovery>): void {
  if (!left) return
  const { pid, startedAt } = left
  logDaemon('warn', 'the last daemon did not stop in order: it was killed or crashed', { pid, startedAt })
}

function stopRequest(onHangup: () => void): { requested: Promise<string>; now: (reason: string) => void } {
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  // A terminal that closes must not take the servers of its user with it.
  process.on('SIGHUP', onHangup)
  // Crash-only: an unknown state is left at once; the next start reconciles from SQLite (docs/architecture.md).
  process.on('uncaughtException', error => {
    logDaemon('error', 'uncaught exception, exiting', errorFields(error))
    process.exit(70)
  })
  process.on('exit', code => {
    if (code !== 0) logDaemon('error', 'the process ends', { code })
  })
  return { requested: promise, now: resolve }
}
