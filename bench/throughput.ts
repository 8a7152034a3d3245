import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '../src/daemon/engine/process-engine.ts'
import { deployEcho, startDaemon } from './daemon.ts'
import { load, loadWithoutKeepAlive } from './load.ts'
import { interleave, median } from './measure.ts'
import { deployModuleEcho } from './module.ts'
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
    const { url: module } = await deployModuleEcho(daemon, 'module')
    const raw = await start('raw-echo.ts')
    const direct = await start('direct-instance.ts')
    const proxied = await start('undici-proxy.ts', direct)
    const figures: Figure[] = []
    for (const connections of [16, 64]) {
      figures.push(...(await keepAlive(connections, { raw, hosted, module, direct, proxied })))
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
        const { rate, p99Ms } = await load(url, connections, SECONDS)
        p99[name] = [...(p99[name] ?? []), p99Ms]
        return rate
      },
    ]),
  )
  await interleave(1, candidates) // what runs for the first time is compiled, and belongs to no figure
  for (const name of Object.keys(p99)) p99[name] = []
  const rates = await interleave(ROUNDS, candidates)
  const rate = (name: string) => median(rates[name]!)
  const ratio = (name: string, to: string) =>
    median(rates[name]!.map((value, round) => value / rates[to]![round]!))
  const tail = (to: string) => median(p99.hosted!) / median(p99[to]!)
  const label = `${connections} connections`
  return [
    { name: `raw \`node:http\` echo, ${label}`, value: `${Math.round(rate('raw'))}/s` },
    figure(`declared tool through its public URL, ${label}`, rate('hosted'), ratio('hosted', 'raw'), 0.7),
    figure(`handler module through its public URL, ${label}`, rate('module'), ratio('module', 'raw'), 0.6),
    figure(
      `the hop: public URL against the instance itself, ${label}`,
      rate('hosted'),
      ratio('hosted', 'direct'),
      0.95,
    ),
    figure(`an undici proxy in its place, ${label}`, rate('proxied'), ratio('proxied', 'direct')),
    {
      name: `p99 against the instance itself, ${label}`,
      value: `${median(p99.hosted!).toFixed(2)} ms, ${tail('direct').toFixed(2)}×`,
      measured: tail('direct'),
      limit: { at: 'most', value: 1.5, unit: '×' },
    },
    { name: `p99 against the raw echo, ${label}`, value: `${tail('raw').toFixed(2)}×` },
  ]
}

async function newConnections(urls: Record<string, string>): Promise<Figure[]> {
  const candidates = Object.fromEntries(
    Object.entries(urls).map(([name, url]) => [name, () => loadWithoutKeepAlive(url, 16, SECONDS)]),
  )
  const rates = await interleave(ROUNDS, candidates)
  const ratio = median(rates.hosted!.map((value, round) => value / rates.proxied![round]!))
  const direct = median(rates.proxied!.map((value, round) => value / rates.direct![round]!))
  return [
    figure('a connection for every request, against an undici proxy', median(rates.hosted!), ratio, 1.5),
    figure('an undici proxy, a connection for every request, against direct', median(rates.proxied!), direct),
  ]
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
  // The flags of an instance, so that only the hop is between the two.
  const execArgv = program === 'direct-instance.ts' ? nodeFlags(256) : []
  const child = fork(path, args, { execArgv, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', chunk => resolve(/http:[^"\s]+/.exec(String(chunk))![0]))
    child.once('exit', code => reject(new Error(`${program} ended with ${code}`)))
  })
  return { child, url }
}
