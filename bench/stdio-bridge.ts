import { fileURLToPath } from 'node:url'
import { type PeerName, startPeer } from './bridge-peers.ts'
import { type BenchDaemon, type Deployed, startDaemon } from './daemon.ts'
import { median, rotate } from './measure.ts'
import { descendantsOf } from './processes.ts'
import type { Figure } from './report.ts'
import { loadSessions, type Parties, type SessionLoad } from './session-load.ts'

// Many short rounds, because other load on the machine varies within seconds and must affect both sides of a comparison.
const ROUNDS = 15
const SECONDS = 1
/** V8's compilation takes as much processor time as the calls themselves during this time. */
const WARM_UP_SECONDS = 5
const SESSIONS = 16

const ECHO = fileURLToPath(new URL('stdio-echo.ts', import.meta.url))

/** A bridge with the program behind it. */
interface Candidate {
  url: string
  parties(): Parties
}

type Rounds = Record<string, SessionLoad[]>

/** The same server over stdio behind our bridge and behind third-party bridges, with 2025-11-25 sessions. */
export async function benchStdioBridge(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const peer = async (name: PeerName): Promise<Candidate> => {
    const { url, pid, stop } = await startPeer(name, ECHO)
    stack.defer(stop)
    return { url, parties: () => ({ bridge: [pid], programs: programsOf(pid) }) }
  }
  const daemon = await startDaemon()
  stack.defer(() => daemon.stop())
  // Candidates that are compared with each other are adjacent.
  const candidates = {
    session: await deploy(daemon, 'session'),
    supergateway: await peer('supergateway'),
    shared: await deploy(daemon, 'shared'),
    'mcp-proxy': await peer('mcp-proxy'),
  }
  return figures(await measure(candidates))
}

/** Measures the candidates in turn. Each round starts with a different one, so that the order affects all of them alike. */
async function measure(candidates: Record<string, Candidate>): Promise<Rounds> {
  const names = Object.keys(candidates)
  const rounds: Rounds = Object.fromEntries(names.map(name => [name, []]))
  const look = (name: string, seconds: number) => {
    const { url, parties } = candidates[name]!
    return loadSessions(url, { sessions: SESSIONS, seconds, parties })
  }
  for (const name of names) await look(name, WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round++)
    for (const name of rotate(names, round)) rounds[name]!.push(await look(name, SECONDS))
  return rounds
}

function figures(rounds: Rounds): Figure[] {
  return [
    rateFigure(rounds, 'shared', 'mcp-proxy'),
    rateFigure(rounds, 'shared', 'supergateway'),
    rateFigure(rounds, 'session', 'supergateway'),
    bridgeFigure(rounds, 'shared', 'mcp-proxy', 10),
    bridgeFigure(rounds, 'shared', 'supergateway'),
    bridgeFigure(rounds, 'session', 'supergateway'),
    ...Object.keys(rounds).map(name => sharesFigure(rounds, name)),
  ]
}

const LABELS: Record<string, string> = {
  shared: `one child for ${SESSIONS} sessions`,
  session: `a child for each of ${SESSIONS} sessions`,
}

function rateFigure(rounds: Rounds, name: string, peer: string): Figure {
  const measured = median(rounds[name]!.map(({ rate }, round) => rate / rounds[peer]![round]!.rate))
  const rate = (of: string) => Math.round(medianOf(rounds, of, 'rate'))
  return {
    name: `${LABELS[name]}, compared with ${peer}`,
    value: `${rate(name)}/s to ${rate(peer)}/s, ${measured.toFixed(1)}×`,
    measured,
    limit: { at: 'least', value: 1, unit: '×' },
  }
}

/** Processor time of the bridge alone. The program and the generator are the same for all bridges. */
function bridgeFigure(rounds: Rounds, name: string, peer: string, limit?: number): Figure {
  const measured = median(rounds[peer]!.map(({ bridge }, round) => bridge / rounds[name]![round]!.bridge))
  const taken = (of: string) => medianOf(rounds, of, 'bridge').toFixed(1)
  return {
    name: `processor time in the bridge, ${LABELS[name]}, compared with ${peer}`,
    value: `${taken(name)} µs to ${taken(peer)} µs per call, ${measured.toFixed(1)}×`,
    measured,
    ...(limit === undefined ? {} : { limit: { at: 'least', value: limit, unit: '×' } }),
  }
}

function sharesFigure(rounds: Rounds, name: string): Figure {
  const [bridge, programs, generator] = (['bridge', 'programs', 'generator'] as const).map(share =>
    medianOf(rounds, name, share).toFixed(1),
  )
  return {
    name: `processor time of a call, ${LABELS[name] ?? name}`,
    value: `bridge ${bridge} µs, program ${programs} µs, generator ${generator} µs`,
  }
}

function medianOf(rounds: Rounds, name: string, field: keyof SessionLoad): number {
  return median(rounds[name]!.map(load => load[field]))
}

async function deploy(daemon: BenchDaemon, isolation: string): Promise<Candidate> {
  const name = `echo-${isolation}`
  const program = { type: 'stdio', command: process.execPath, args: [ECHO], isolation }
  const build = await daemon.call<Deployed>('POST', '/v1/build', { name, template: 'custom', program })
  const request = {
    mcp_id: build.mcp_id,
    environment: 'production',
    config: { scaling: { max_instances: 1 } },
  }
  const { url } = await daemon.call<Deployed>('POST', '/v1/deploy', request)
  const { items } = await daemon.call<Listed>('GET', `/v1/deploy?name=${name}`)
  const instances = items.flatMap(one => one.instances.map(({ pid }) => pid))
  const parties = () => ({ bridge: [daemon.pid, ...instances], programs: instances.flatMap(programsOf) })
  return { url, parties }
}

interface Listed {
  items: { instances: { pid: number }[] }[]
}

function programsOf(bridge: number): number[] {
  return descendantsOf(bridge).map(({ pid }) => pid)
}
