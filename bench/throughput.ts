import { type ChildProcess, fork } from 'node:child_process'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { deployEcho, MODERN_CALL, startDaemon } from './daemon.ts'
import { interleave, median } from './measure.ts'
import type { Figure } from './report.ts'

const ROUNDS = 7
const SECONDS = 2

/** tools/call through the public URL, beside a raw `node:http` echo, an instance without the hop, and a proxy. */
export async function benchThroughput(): Promise<Figure[]> {
  const daemon = await startDaemon()
  const children: ChildProcess[] = []
  const start = async (program: string, ...args: string[]) => {
    const { child, url } = await startProgram(program, args)
    children.push(child)
    return url
  }
  try {
    const { url: hosted } = await deployEcho(daemon, 'echo', 'production')
    const raw = await start('raw-echo.ts')
    const direct = await start('direct-instance.ts')
    const proxied = await start('undici-proxy.ts', direct)
    const figures: Figure[] = []
    for (const connections of [16, 64]) {
      figures.push(...(await keepAlive(connections, { raw, hosted, direct, proxied })))
    }
    figures.push(...(await newConnections({ hosted, direct, proxied })))
    return figures
  } finally {
    for (const child of children) child.disconnect()
    await daemon.stop()
  }
}

async function keepAlive(connections: number, urls: Record<string, string>): Promise<Figure[]> {
  const p99: Record<string, number[]> = {}
  const candidates = Object.fromEntries(
    Object.entries(urls).map(([name, url]) => [
      name,
      async () => {
        const result = await load(url, connections)
        p99[name] = [...(p99[name] ?? []), result.latency.p99]
        return result.requests.average
      },
    ]),
  )
  const rates = await interleave(ROUNDS, candidates)
  const rate = (name: string) => median(rates[name]!)
  const ratio = (name: string, to: string) =>
    median(rates[name]!.map((value, round) => value / rates[to]![round]!))
  const tail = median(p99.hosted!) / Math.max(1, median(p99.raw!))
  const label = `${connections} connections`
  return [
    { name: `raw \`node:http\` echo, ${label}`, value: `${Math.round(rate('raw'))}/s` },
    figure(`declared tool through its public URL, ${label}`, rate('hosted'), ratio('hosted', 'raw'), 0.7),
    figure(
      `the hop: public URL against the instance itself, ${label}`,
      rate('hosted'),
      ratio('hosted', 'direct'),
      0.95,
    ),
    figure(`an undici proxy in its place, ${label}`, rate('proxied'), ratio('proxied', 'direct')),
    {
      name: `p99 against the raw echo, ${label}`,
      value: `${median(p99.hosted!)} ms, ${tail.toFixed(2)}×`,
      measured: tail,
      limit: { at: 'most', value: 1.5, unit: '×' },
    },
  ]
}

async function newConnections(urls: Record<string, string>): Promise<Figure[]> {
  const candidates = Object.fromEntries(
    Object.entries(urls).map(([name, url]) => [name, () => requestsWithoutKeepAlive(url, 16)]),
  )
  const rates = await interleave(ROUNDS, candidates)
  const ratio = median(rates.hosted!.map((value, round) => value / rates.proxied![round]!))
  const direct = median(rates.proxied!.map((value, round) => value / rates.direct![round]!))
  return [
    figure('a connection for every request, against an undici proxy', median(rates.hosted!), ratio, 1.5),
    figure('an undici proxy, a connection for every request, against direct', median(rates.proxied!), direct),
  ]
}

async function load(url: string, connections: number): Promise<autocannon.Result> {
  const result = await autocannon({ url, method: 'POST', ...MODERN_CALL, connections, duration: SECONDS })
  const failed = result.errors + result.non2xx
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed`)
  return result
}

/** Requests a second, each over a connection of its own, so many at a time. */
async function requestsWithoutKeepAlive(url: string, concurrency: number): Promise<number> {
  const start = performance.now()
  const end = start + SECONDS * 1000
  let count = 0
  const lane = async () => {
    for (; performance.now() < end; count++) await requestOnce(url)
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  return (count * 1000) / (performance.now() - start)
}

function requestOnce(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { ...MODERN_CALL.headers, connection: 'close' }
    const sent = request(url, { method: 'POST', headers, agent: false }, response => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    sent.on('error', reject).end(MODERN_CALL.body)
  })
}

function figure(name: string, rate: number, ratio: number, limit?: number): Figure {
  const value = `${Math.round(rate)}/s, ${ratio.toFixed(2)}×`
  return {
    name,
    value,
    measured: ratio,
    ...(limit ? { limit: { at: 'least', value: limit, unit: '×' } } : {}),
  }
}

async function startProgram(program: string, args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child = fork(path, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', chunk => resolve(/http:[^"\s]+/.exec(String(chunk))![0]))
    child.once('exit', code => reject(new Error(`${program} ended with ${code}`)))
  })
  return { child, url }
}
