import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDaemon, type Deployed, echoServer, MODERN_CALL, startDaemon } from './daemon.ts'
import { median, timeMs } from './measure.ts'
import type { Figure } from './report.ts'

/** Deployments of declared servers on one machine; each server has two and a preview, so an address more for two. */
const STEPS = [1, 1000, 10_000] as const
const ENVIRONMENTS = ['staging', 'development'] as const
const AT_ONCE = 16
const ROUTES = 300
const QUIET_MS = 5000
/** Daemon and hosts give memory back after 30 s of quiet. */
const SETTLE_MS = 35_000

/** What a machine full of servers costs: memory, processor time, the way to each of them, a restart. Linux only. */
export async function benchGrowth(): Promise<Figure[]> {
  // What is measured is the daemon, not the disk's patience with its log of requests.
  const daemon = await startDaemon({ MCP_ENTERPRISE_LIMIT: '10000000' })
  const figures: Figure[] = []
  const urls: string[] = []
  try {
    let firstRoute = 0
    for (const count of STEPS) {
      await growTo(daemon, urls, count)
      const most = count === STEPS.at(-1)
      await sleep(most ? SETTLE_MS : 2000)
      const route = median(await routeTimes(urls[0]!))
      firstRoute ||= route
      const named = `${count.toLocaleString('en')} deployments`
      figures.push({
        name: `${named}: a new connection to its answer`,
        value: `${route.toFixed(2)} ms, ${(route / firstRoute).toFixed(2)}×`,
        ...(count === 1 ? {} : limited(route / firstRoute, 1.5, '×')),
      })
      const idle = await idleShare(daemon)
      figures.push({
        name: `${named}: processor time of the idle daemon`,
        value: `${(idle * 100).toFixed(1)} %`,
        ...limited(idle * 100, 1, '%'),
      })
      if (most) {
        const megabytes = memoryMb(daemon)
        const value = `${megabytes.toFixed(0)} MB`
        figures.push({ name: `${named}: memory in all (PSS)`, value, ...limited(megabytes, 300, 'MB') })
      }
      const seconds = await restart(daemon, urls)
      figures.push({
        name: `${named}: killed, started, all have answered a call`,
        value: `${seconds.toFixed(2)} s`,
        ...(count === 1000 ? limited(seconds, 2, 's') : {}),
      })
    }
    return figures
  } finally {
    await daemon.stop()
  }
}

function limited(measured: number, value: number, unit: string): Pick<Figure, 'measured' | 'limit'> {
  return { measured, limit: { at: 'most', value, unit } }
}

async function growTo(daemon: BenchDaemon, urls: string[], count: number): Promise<void> {
  const missing = Array.from({ length: Math.ceil((count - urls.length) / ENVIRONMENTS.length) }, (_, i) => i)
  const first = urls.length
  await inParallel(missing, async index => {
    const { mcp_id } = await daemon.call<Deployed>('POST', '/v1/build', echoServer(`server-${first + index}`))
    for (const environment of ENVIRONMENTS) {
      if (urls.length >= count) return
      urls.push((await daemon.call<Deployed>('POST', '/v1/deploy', { mcp_id, environment })).url)
    }
  })
}

async function routeTimes(url: string): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUTES; round++) times.push(await timeMs(() => call(url)))
  return times
}

/** Ends the daemon as a power cut would. */
async function restart(daemon: BenchDaemon, urls: readonly string[]): Promise<number> {
  const ms = await timeMs(async () => {
    await daemon.restart('SIGKILL')
    await inParallel(urls, call)
  })
  return ms / 1000
}

async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const queue = all.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of queue) await work(one)
    }),
  )
}

/** One call on a connection of its own, with as little of a client as will do: it shares the machine. */
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

async function idleShare(daemon: BenchDaemon): Promise<number> {
  const before = processorSeconds(daemon.pid)
  await sleep(QUIET_MS)
  return (processorSeconds(daemon.pid) - before) / (QUIET_MS / 1000)
}

/** utime and stime of /proc/pid/stat, in hundredths of a second. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The daemon and every process it started. */
function memoryMb(daemon: BenchDaemon): number {
  const own = readdirSync('/proc').filter(name => /^\d+$/.test(name) && parentOf(name) === daemon.pid)
  return [String(daemon.pid), ...own].reduce((sum, pid) => sum + pssMb(pid), 0)
}

function pssMb(pid: string): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined // gone meanwhile
  }
}
