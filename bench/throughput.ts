import { type Candidate, startCandidates } from './candidates.ts'
import { loadWithoutKeepAlive, openConnections } from './load.ts'
import { median, rotate } from './measure.ts'
import { cpuSecondsOf } from './processes.ts'
import type { Figure } from './report.ts'

/**
 * Many short rounds, so that a change in the machine's speed affects few of the ratios. Two processes of the same program
 * differed by up to 10% in 25 rounds of half a second, and by 2% in 125 rounds of a tenth of a second.
 */
const ROUNDS = 125
const SECONDS = 0.1
/** V8 compiles code that runs for the first time. */
const WARM_UP_ROUNDS = 10
const NEW_CONNECTION_ROUNDS = 25
const NEW_CONNECTION_SECONDS = 0.5

interface Measured {
  /** Answered requests per second. */
  rate: number
  p99Ms: number
  answered: number
  /** Processor time of all processes involved. */
  cpuSeconds: number
}

/** tools/call through the public URL, compared with a raw `node:http` echo, an instance without the hop, and proxies. */
export async function benchThroughput(): Promise<Figure[]> {
  await using candidates = await startCandidates()
  const { proxies, raw, hosted, development, module, direct } = candidates
  const figures: Figure[] = []
  for (const connections of [16, 64]) {
    const rounds = await measureKeepAlive(
      { raw, direct, hosted, development, module, ...proxies },
      connections,
    )
    figures.push(...keepAlive(`${connections} connections`, rounds, Object.keys(proxies)))
  }
  const proxied = proxies['an undici proxy']!
  figures.push(...(await newConnections({ hosted, direct, proxied })))
  return figures
}

type Rounds<T> = Record<string, T[]>

/** Measures calls over connections that stay open between the rounds. `newConnections` measures the hand-over of a connection. */
async function measureKeepAlive(
  candidates: Record<string, Candidate>,
  count: number,
): Promise<Rounds<Measured>> {
  using stack = new DisposableStack()
  const looks: Record<string, () => Promise<Measured>> = {}
  for (const [name, { url, pids }] of Object.entries(candidates)) {
    const connections = stack.use(await openConnections(url, count))
    looks[name] = async () => {
      const before = cpuSecondsOf(pids)
      const { rate, p99Ms, answered } = await connections.load(SECONDS)
      return { rate, p99Ms, answered, cpuSeconds: cpuSecondsOf(pids) - before }
    }
  }
  await measure(looks, WARM_UP_ROUNDS)
  return await measure(looks, ROUNDS)
}

/**
 * Measures the candidates in turn. Each round starts with a different one and every second round runs backwards, so that the
 * order affects all of them alike. `direct` and `hosted` are next to each other, because their ratio has the narrowest limit.
 */
async function measure<T>(looks: Record<string, () => Promise<T>>, count: number): Promise<Rounds<T>> {
  const names = Object.keys(looks)
  const rounds: Rounds<T> = Object.fromEntries(names.map(name => [name, []]))
  for (let round = 0; round < count; round++) {
    const order = rotate(names, round)
    for (const name of round % 2 ? order.toReversed() : order) rounds[name]!.push(await looks[name]!())
  }
  return rounds
}

function keepAlive(label: string, rounds: Rounds<Measured>, proxies: string[]): Figure[] {
  const rates = ratesOf(rounds)
  const rate = (name: string) => median(rates[name]!)
  const ratio = (name: string, to: string) => medianRatio(rates, name, to)
  const p99 = (name: string) => median(rounds[name]!.map(({ p99Ms }) => p99Ms))
  const tail = (to: string) => p99('hosted') / p99(to)
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
      measured: cpuOf(rounds, 'development') / cpuOf(rounds, 'hosted'),
      limit: { at: 'most', value: 1.5, unit: '×' },
    },
    ...proxies.flatMap(name => [
      figure(`${name} instead of the hop, ${label}`, rate(name), ratio(name, 'direct')),
      cpuFigure(`processor time of a call through ${name}, ${label}`, rounds, name),
    ]),
    {
      name: `p99 compared with the instance itself, ${label}`,
      value: `${p99('hosted').toFixed(2)} ms, ${tail('direct').toFixed(2)}×`,
      measured: tail('direct'),
      limit: { at: 'most', value: 1.5, unit: '×' },
    },
    { name: `p99 compared with the raw echo, ${label}`, value: `${tail('raw').toFixed(2)}×` },
  ]
}

async function newConnections(
  candidates: Record<'hosted' | 'direct' | 'proxied', Candidate>,
): Promise<Figure[]> {
  const looks = Object.fromEntries(
    Object.entries(candidates).map(([name, { url }]) => [
      name,
      () => loadWithoutKeepAlive(url, 16, NEW_CONNECTION_SECONDS),
    ]),
  )
  await measure(looks, 1)
  const rates = await measure(looks, NEW_CONNECTION_ROUNDS)
  const compare = (name: string, to: string) => [median(rates[name]!), medianRatio(rates, name, to)] as const
  return [
    figure(
      'a new connection per request, compared with an undici proxy',
      ...compare('hosted', 'proxied'),
      1.5,
    ),
    figure(
      'an undici proxy, a new connection per request, compared with the instance itself',
      ...compare('proxied', 'direct'),
    ),
  ]
}

function ratesOf(rounds: Rounds<Measured>): Rounds<number> {
  return Object.fromEntries(
    Object.entries(rounds).map(([name, measured]) => [name, measured.map(({ rate }) => rate)]),
  )
}

/** Median of the ratios within each round. */
function medianRatio(rounds: Rounds<number>, name: string, to: string): number {
  return median(rounds[name]!.map((measured, round) => measured / rounds[to]![round]!))
}

/** Processor time per request in all rounds together, in microseconds. The kernel counts in steps of a tenth of a round. */
function cpuOf(rounds: Rounds<Measured>, name: string): number {
  const sum = (field: 'cpuSeconds' | 'answered') =>
    rounds[name]!.reduce((total, measured) => total + measured[field], 0)
  return (sum('cpuSeconds') * 1e6) / sum('answered')
}

/** Processor time of all processes involved. Unlike the rate, it hardly depends on other programs on the machine. */
function cpuFigure(
  name: string,
  rounds: Rounds<Measured>,
  candidate: string,
  to: 'direct' | 'hosted' = 'direct',
): Figure {
  const [measured, base] = [cpuOf(rounds, candidate), cpuOf(rounds, to)]
  const label = to === 'direct' ? 'directly' : 'in production'
  return {
    name,
    value: `${measured.toFixed(1)} µs, ${label} ${base.toFixed(1)} µs, ${(measured / base).toFixed(2)}×`,
  }
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
