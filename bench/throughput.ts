import { type Candidate, startCandidates } from './candidates.ts'
import { load, loadWithoutKeepAlive } from './load.ts'
import { median, rotate } from './measure.ts'
import { cpuSecondsOf } from './processes.ts'
import type { Figure } from './report.ts'

/** Many short rounds: a machine whose speed changes does so between two of them, and hits one ratio in many. */
const ROUNDS = 11
const SECONDS = 1

interface Measured {
  /** Answered requests a second. */
  rate: number
  p99Ms: number
  /** Processor time of all who take part, a request. */
  cpuMicroseconds: number
}

/** tools/call through the public URL, beside a raw `node:http` echo, an instance without the hop, and proxies. */
export async function benchThroughput(): Promise<Figure[]> {
  await using candidates = await startCandidates()
  const { proxies, raw, hosted, module, direct } = candidates
  const figures: Figure[] = []
  for (const connections of [16, 64]) {
    const rounds = await measure({ raw, hosted, module, direct, ...proxies }, candidate =>
      measureLoad(candidate, connections),
    )
    figures.push(...keepAlive(`${connections} connections`, rounds, Object.keys(proxies)))
  }
  const proxied = proxies['an undici proxy']!
  figures.push(...newConnections(await measure({ hosted, direct, proxied }, measureWithoutKeepAlive)))
  return figures
}

type Rounds = Record<string, Measured[]>

/** Each in turn, and another one first in each round: none always comes after the same one. */
async function measure(
  candidates: Record<string, Candidate>,
  look: (candidate: Candidate) => Promise<Measured>,
): Promise<Rounds> {
  const names = Object.keys(candidates)
  const rounds: Rounds = Object.fromEntries(names.map(name => [name, []]))
  // What runs for the first time is compiled, and belongs to no figure.
  for (const name of names) await look(candidates[name]!)
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of rotate(names, round)) rounds[name]!.push(await look(candidates[name]!))
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
      `the hop: public URL against the instance itself, ${label}`,
      rate('hosted'),
      ratio('hosted', 'direct'),
      0.95,
    ),
    cpuFigure(`processor time of a call through the hop, ${label}`, rounds, 'hosted'),
    ...proxies.flatMap(name => [
      figure(`${name} in its place, ${label}`, rate(name), ratio(name, 'direct')),
      cpuFigure(`processor time of a call through ${name}, ${label}`, rounds, name),
    ]),
    {
      name: `p99 against the instance itself, ${label}`,
      value: `${of(rounds, 'hosted', 'p99Ms').toFixed(2)} ms, ${tail('direct').toFixed(2)}×`,
      measured: tail('direct'),
      limit: { at: 'most', value: 1.5, unit: '×' },
    },
    { name: `p99 against the raw echo, ${label}`, value: `${tail('raw').toFixed(2)}×` },
  ]
}

function newConnections(rounds: Rounds): Figure[] {
  const rate = (name: string) => of(rounds, name, 'rate')
  const ratio = (name: string, to: string) => ratioOf(rounds, name, to, 'rate')
  return [
    figure(
      'a connection for every request, against an undici proxy',
      rate('hosted'),
      ratio('hosted', 'proxied'),
      1.5,
    ),
    figure(
      'an undici proxy, a connection for every request, against direct',
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

/** Of all processes that take part. Who else uses the machine costs rate, and hardly any of this. */
function cpuFigure(name: string, rounds: Rounds, candidate: string): Figure {
  const microseconds = of(rounds, candidate, 'cpuMicroseconds').toFixed(1)
  const direct = of(rounds, 'direct', 'cpuMicroseconds').toFixed(1)
  const ratio = ratioOf(rounds, candidate, 'direct', 'cpuMicroseconds')
  return { name, value: `${microseconds} µs, directly ${direct} µs, ${ratio.toFixed(2)}×` }
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
