import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDaemon, type Deployed, echoServer, MODERN_CALL, withDaemon } from './daemon.ts'
import { type Duration, durationFigure, measureDuration } from './durations.ts'
import { median, timeMs } from './measure.ts'
import { cpuSecondsOf, descendantsOf, usageOf } from './processes.ts'
import type { Figure } from './report.ts'

/** Numbers of deployments of declared servers. Each server has two deployments, and a preview with a third address. */
const STEPS = [1, 1000, 10_000] as const
/** Number of deployments that must answer in time after a restart. */
const RESTARTED_IN_TIME = 1000
const RESTART_LIMIT_MS = 2000
/** A single restart is not enough, because another program may keep the machine busy for all of its one or two seconds. */
const RESTARTS = 5
const ENVIRONMENTS = ['staging', 'development'] as const
const CONCURRENCY = 16
/** About a second of requests. A tenth of a second may fall into a slow phase of the machine. */
const ROUTES = 3000
const QUIET_MS = 5000
/**
 * The daemon and the hosts release memory after 30 s without work, and the daemon handles their reports about it. Request counts
 * are written, and log files are checked, once a minute after work. The first deployments fall asleep after five minutes.
 */
const SETTLE_MS = 60_000

/** Cost of a full machine: memory, processor time, new connections and restarts. Linux only. */
export function benchGrowth(): Promise<Figure[]> {
  // The benchmark sends more requests per hour than the owner's plan allows.
  return withDaemon({ MCP_ENTERPRISE_LIMIT: '10000000' }, async daemon => {
    const figures: Figure[] = []
    const urls: string[] = []
    let firstRoute = 0
    for (const count of STEPS) {
      await growTo(daemon, urls, count)
      const most = count === STEPS.at(-1)
      await sleep(most ? SETTLE_MS : 2000)
      const label = `${count.toLocaleString('en')} deployments`
      // Measured before any call, because a burst of connections leaves some megabytes of young generation for half a minute.
      if (most) figures.push(memoryFigure(label, daemon))
      const route = median(await routeTimes(urls[0]!))
      firstRoute ||= route
      figures.push(routeFigure(label, route, firstRoute), await restartFigure(label, daemon, urls))
      figures.push(await idleFigure(label, daemon))
    }
    return figures
  })
}

function routeFigure(label: string, ms: number, firstMs: number): Figure {
  const ratio = ms / firstMs
  return {
    name: `${label}: first answer on a new connection`,
    value: `${ms.toFixed(2)} ms, ${ratio.toFixed(2)}×`,
    ...(ms === firstMs ? {} : limited(ratio, 1.5, '×')),
  }
}

/**
 * Measures the idle daemon after the restart, when all deployments are awake. New deployments would fall asleep one by one
 * during the measurement.
 */
async function idleFigure(label: string, daemon: BenchDaemon): Promise<Figure> {
  await sleep(SETTLE_MS)
  const percent = (await idleShare(daemon)) * 100
  return {
    name: `${label}: processor time of the idle daemon`,
    value: `${percent.toFixed(1)} %`,
    ...limited(percent, 1, '%'),
  }
}

function memoryFigure(label: string, daemon: BenchDaemon): Figure {
  const each = memoryMb(daemon)
  const megabytes = each.reduce((sum, one) => sum + one, 0)
  const value = `${megabytes.toFixed(0)} MB (${each.map(one => one.toFixed(0)).join(' + ')})`
  return { name: `${label}: total memory (PSS)`, value, ...limited(megabytes, 300, 'MB') }
}

async function restartFigure(label: string, daemon: BenchDaemon, urls: readonly string[]): Promise<Figure> {
  const isLimited = urls.length === RESTARTED_IN_TIME
  const all: Duration[] = []
  while (all.length < (isLimited ? RESTARTS : 1)) all.push(await restart(daemon, urls))
  const name = `${label}: from SIGKILL until all have answered a call`
  return durationFigure(name, all, isLimited ? RESTART_LIMIT_MS : undefined)
}

function limited(measured: number, value: number, unit: string): Pick<Figure, 'measured' | 'limit'> {
  return { measured, limit: { at: 'most', value, unit } }
}

async function growTo(daemon: BenchDaemon, urls: string[], count: number): Promise<void> {
  const first = urls.length
  const missing = count - first
  const servers = Array.from({ length: Math.ceil(missing / ENVIRONMENTS.length) }, (_, index) => index)
  await inParallel(servers, async index => {
    const { mcp_id } = await daemon.call<Deployed>('POST', '/v1/build', echoServer(`server-${first + index}`))
    for (const environment of ENVIRONMENTS.slice(0, missing - index * ENVIRONMENTS.length)) {
      urls.push((await daemon.call<Deployed>('POST', '/v1/deploy', { mcp_id, environment })).url)
    }
  })
}

async function routeTimes(url: string): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUTES; round++) times.push(await timeMs(() => call(url)))
  return times
}

/** Kills the daemon, as a power failure would. */
function restart(daemon: BenchDaemon, urls: readonly string[]): Promise<Duration> {
  return measureDuration(async () => {
    await daemon.restart('SIGKILL')
    await inParallel(urls, call)
  })
}

/** Starts no more work after the first error. Rejects with that error when the work in progress has ended. */
async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const queue = all.values()
  const errors: unknown[] = []
  const lane = async () => {
    for (const one of queue) {
      if (errors.length > 0) return
      await work(one).catch(error => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  if (errors.length > 0) throw errors[0]
}

/** One call on a new connection. The client does as little as possible, because it shares the machine. */
function call(url: string): Promise<void> {
  const { port, host } = new URL(url)
  const headers = Object.entries(MODERN_CALL.headers).map(([name, value]) => `${name}: ${value}`)
  const head = ['POST /mcp HTTP/1.1', `host: ${host}`, 'connection: close', ...headers]
  const request = `${head.join('\r\n')}\r\ncontent-length: ${MODERN_CALL.body.length}\r\n\r\n${MODERN_CALL.body}`
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request))
    socket.setEncoding('utf8').on('data', text => {
      answer += text
      if (!answer.includes('"text":"hello"')) return
      socket.destroy()
      resolve()
    })
    socket.on('error', reject)
    socket.on('end', () => reject(new Error(`${url} answered ${answer}`)))
  })
}

async function idleShare({ pid }: BenchDaemon): Promise<number> {
  const before = cpuSecondsOf([pid])
  await sleep(QUIET_MS)
  return (cpuSecondsOf([pid]) - before) / (QUIET_MS / 1000)
}

/** Memory of the daemon, then of each process below it. */
function memoryMb({ pid }: BenchDaemon): number[] {
  const pids = [pid, ...descendantsOf(pid).map(one => one.pid)]
  return pids.flatMap(one => usageOf(one)?.proportionalMb ?? [])
}
