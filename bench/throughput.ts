import { type Candidate, startCandidates } from './candidates.ts'
import { load, loadWithoutKeepAlive } from './load.ts'
import { median, rotate } from './measure.ts'
import { cpuSecondsOf } from './processes.ts'
import type { Figure } from './report.ts'

/** Many short rounds, so that a change of the machine's speed affects only one of the ratios. */
const ROUNDS = 25
const SECONDS = 0.5

interface Measured {
  /** Answered requests per second. */
  rate: number
  p99Ms: number
  /** Processor time per request of all processes involved. */
  cpuMicroseconds: number
}

/** tools/call through the public URL, compared with a raw `node:http` echo, an instance without the hop, and proxies. */
export async function benchThroughput(): Promise<Figure[]> {
  await using candidates = await startCandidates()
  const { proxies, raw, hosted, development, module, direct } = candidates
  const figures: Figure[] = []
  for (const connections of [16, 64]) {
    const rounds = await measure({ raw, direct, hosted, development, module, ...proxies }, candidate =>
      measureLoad(candidate, connections),
    )
    figures.push(...keepAlive(`${connections} connections`, rounds, Object.keys(proxies)))
  }
  const proxied = proxies['an undici proxy']!
  figures.push(...newConnections(await measure({ hosted, direct, proxied }, measureWithoutKeepAlive)))
  return figures
}

type Rounds = Record<string, Measured[]>

/**
 * Measures the candidates in turn. Each round starts with another one and every second one runs backwards, so that the order affects
 * all of them. `direct` and `hosted` are next to each other, because their ratio has the narrowest limit.
 */
async function measure(
  candidates: Record<string, Candidate>,
  look: (candidate: Candidate) => Promise<Measured>,
): Promise<Rounds> {
  const names = Object.keys(candidates)
  const rounds: Rounds = Object.fromEntries(names.map(name => [name, []]))
  // Warm-up: V8 compiles code that runs for the first time.
  for (const name of names) await look(candidates[name]!)
  for (let round = 0; round < ROUNDS; round++) {
    const order = rotate(names, round)
    for (const name of round % 2 ? order.toReversed() : order)
      rounds[name]!.push(await look(candidates[name]!))
  }
  return rounds
}

async function measureLoad({ url, pids }: Candidate, connections: number): Promise<Measured> {
  const before = cpuSecondsOf(pids)
  const { rate, p99Ms, answered } = await load(url, connections, SECONDS)
  return { rate, p99Ms, cpuMicroseconds: ((cpuSecondsOf(pids) - before) * 1e6) / answered }
}

async function measureWithoutKeepAlive({ url }: Candidate): Promise<Measured> {
  return { rate: await loadWithoutKeepAlive(url, 16, SECONDS), p99Ms: 0, cpuMicroseconds: 0 }
}

function keepAlive(label: string, rounds: Rounds, proxies: string[]): Figure[] {
  const rate = (name: string) => of(rounds, name, 'rate')
  const ratio = (name: string, to: string) => ratioOf(rounds, name, to, 'rate')
  const tail = (to: string) => of(rounds, 'hosted', 'p99Ms') / of(rounds, to, 'p99Ms')
  return [
    { name: `raw \`node:http\` echo, ${label}`, value: `${Math.round(rate('raw'))}/s` },
    figure(`declared tool through its public URL, ${label}`, rate('hosted'), ratio('hosted', 'raw'), 0.7),
    figure(`handler module through its public URL, ${label}`, rate('module'), ratio('module', 'raw'), 0.6),
    figure(
      `the hop: public URL compared with the instance itself, ${label}`,
      rate('hosted'),
      ratio('hosted', 'direct'),
      0.95,
    ),
    cpuFigure(`processor time of a call through the hop, ${label}`, rounds, 'hosted'),
    {
      ...cpuFigure(
        `processor time of a call in development, where messages are logged, ${label}`,
        rounds,
        'development',
        'hosted',
      ),
      measured: ratioOf(rounds, 'development', 'hosted', 'cpuMicroseconds'),
      limit: { at: 'most', value: 1.5, unit: '×' },
    },
    ...proxies.flatMap(name => [
      figure(`${name} instead of the hop, ${label}`, rate(name), ratio(name, 'direct')),
      cpuFigure(`processor time of a call through ${name}, ${label}`, rounds, name),
    ]),
    {
      name: `p99 compared with the instance itself, ${label}`,
      value: `${of(rounds, 'hosted', 'p99Ms').toFixed(2)} ms, ${tail('direct').toFixed(2)}×`,
      measured: tail('direct'),
      limit: { at: 'most', value: 1.5, unit: '×' },
    },
    { name: `p99 compared with the raw echo, ${label}`, value: `${tail('raw').toFixed(2)}×` },
  ]
}

function newConnections(rounds: Rounds): Figure[] {
  const rate = (name: string) => of(rounds, name, 'rate')
  const ratio = (name: string, to: string) => ratioOf(rounds, name, to, 'rate')
  return [
    figure(
      'a new connection per request, compared with an undici proxy',
      rate('hosted'),
      ratio('hosted', 'proxied'),
      1.5,
    ),
    figure(
      'an undici proxy, a new connection per request, compared with the instance itself',
      rate('proxied'),
      ratio('proxied', 'direct'),
    ),
  ]
}

function of(rounds: Rounds, name: string, field: keyof Measured): number {
  return median(rounds[name]!.map(measured => measured[field]))
}

/** Median of the ratios within each round. */
function ratioOf(rounds: Rounds, name: string, to: string, field: keyof Measured): number {
  return median(rounds[name]!.map((measured, round) => measured[field] / rounds[to]![round]![field]))
}

/** Processor time of all processes involved. Unlike the rate, it hardly depends on other programs on the machine. */
function cpuFigure(
  name: string,
  rounds: Rounds,
  candidate: string,
  to: 'direct' | 'hosted' = 'direct',
): Figure {
  const microseconds = of(rounds, candidate, 'cpuMicroseconds').toFixed(1)
  const base = of(rounds, to, 'cpuMicroseconds').toFixed(1)
  const ratio = ratioOf(rounds, candidate, to, 'cpuMicroseconds')
  const label = to === 'direct' ? 'directly' : 'in production'
  return { name, value: `${microseconds} µs, ${label} ${base} µs, ${ratio.toFixed(2)}×` }
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
