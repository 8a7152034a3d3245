import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { interleave, median } from './measure.ts'
import { cpuSecondsOf } from './processes.ts'
import type { Figure } from './report.ts'

const SERVERS = fileURLToPath(new URL('./oauth-servers.ts', import.meta.url))
const ROUNDS = 5
const SECONDS = 2

interface Running {
  process: ChildProcess
  token: string
  bearer: string
  refreshTokens: string[]
  client: string
  secret: string
}

/**
 * The OAuth component compared with oidc-provider: separate processes, ES256 keys, storage in memory, 16 kept-alive
 * connections. Measures the token endpoint with rotating refresh tokens, and a request with a bearer token.
 */
export async function benchOAuth(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-bench-'))
  const ours = await start('component')
  const sqlite = await start('component-sqlite', join(folder, 'oauth.db'))
  const theirs = await start('oidc-provider')
  const theirUserInfo = await start('oidc-provider', 'bearer')
  try {
    const rounds = await interleave(ROUNDS, {
      token: () => measure(ours, refreshRate),
      sqlite: () => measure(sqlite, refreshRate),
      theirToken: () => measure(theirs, refreshRate),
      bearer: () => measure(ours, bearerRate),
      theirBearer: () => measure(theirUserInfo, bearerRate),
    })
    return [
      alone('oidc-provider: token endpoint, refresh', rounds.theirToken!),
      compared('token endpoint, refresh', rounds.token!, rounds.theirToken!),
      // Not a comparison, because only this storage writes to disk before it answers.
      alone('… with storage in SQLite', rounds.sqlite!),
      alone('oidc-provider: userinfo with a bearer token', rounds.theirBearer!),
      compared('bearer check', rounds.bearer!, rounds.theirBearer!),
    ]
  } finally {
    for (const { process } of [ours, sqlite, theirs, theirUserInfo]) await stop(process)
    rmSync(folder, { recursive: true })
  }
}

interface Measured {
  /** Requests per second. */
  rate: number
  /** Processor time of the server per request. Other work on the machine hardly affects it. */
  cpuMicroseconds: number
}

async function measure(server: Running, rate: (server: Running) => Promise<Load>): Promise<Measured> {
  const pids = [server.process.pid!]
  const before = cpuSecondsOf(pids)
  const { answered, seconds } = await rate(server)
  return { rate: answered / seconds, cpuMicroseconds: ((cpuSecondsOf(pids) - before) * 1e6) / answered }
}

function alone(name: string, rounds: readonly Measured[]): Figure {
  return { name, value: describe(rounds) }
}

/** Median of the ratios within the rounds, because a slow phase of the machine affects both servers. */
function compared(name: string, ours: readonly Measured[], theirs: readonly Measured[]): Figure {
  const measured = median(ours.map(({ rate }, round) => rate / theirs[round]!.rate))
  const value = `${describe(ours)}, ${measured.toFixed(1)}× oidc-provider`
  return { name, value, measured, limit: { at: 'least', value: 1 } }
}

function describe(rounds: readonly Measured[]): string {
  const rate = Math.round(median(rounds.map(round => round.rate))).toLocaleString('en')
  return `${rate}/s, ${median(rounds.map(round => round.cpuMicroseconds)).toFixed(0)} µs of processor time each`
}

async function start(...args: string[]): Promise<Running> {
  const child = fork(SERVERS, args, { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] })
  let output = ''
  for await (const chunk of child.stdout!) {
    output += chunk
    const line = output.split('\n').find(candidate => candidate.startsWith('{"'))
    if (line && output.endsWith('\n'))
      return { ...(JSON.parse(line) as Omit<Running, 'process'>), process: child }
  }
  throw new Error(`The server "${args[0]}" did not start: ${output}`)
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

interface Load {
  answered: number
  seconds: number
}

/** Rate of refreshes. Each lane continues with the refresh token that it received. */
async function refreshRate(server: Running): Promise<Load> {
  const { token, refreshTokens } = server
  const url = new URL(token)
  return load(url.origin, refreshTokens.length, async (pool, lane) => {
    const next = await refresh(server, pool, refreshTokens[lane]!)
    refreshTokens[lane] = next.refresh_token
  })
}

async function bearerRate(server: Running): Promise<Load> {
  const url = new URL(server.bearer)
  const pool = new Pool(url.origin)
  const first = await refresh(server, pool, server.refreshTokens[0]!)
  await pool.close()
  server.refreshTokens[0] = first.refresh_token
  const headers = { authorization: `Bearer ${first.access_token}` }
  return load(url.origin, server.refreshTokens.length, async connections => {
    const { statusCode, body } = await connections.request({ path: url.pathname, method: 'GET', headers })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${server.bearer} answered ${statusCode}: ${text}`)
  })
}

async function refresh(
  { token, client, secret }: Running,
  pool: Pool,
  refreshToken: string,
): Promise<{ access_token: string; refresh_token: string }> {
  const basic = Buffer.from(`${encodeURIComponent(client)}:${encodeURIComponent(secret)}`).toString('base64')
  const { statusCode, body } = await pool.request({
    path: new URL(token).pathname,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` },
    body: `grant_type=refresh_token&refresh_token=${encodeURIComponent(refreshToken)}`,
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${token} answered ${statusCode}: ${text}`)
  return JSON.parse(text) as { access_token: string; refresh_token: string }
}

async function load(
  origin: string,
  lanes: number,
  once: (pool: Pool, lane: number) => Promise<void>,
): Promise<Load> {
  const pool = new Pool(origin, { connections: lanes })
  const start = performance.now()
  const end = start + SECONDS * 1000
  let answered = 0
  const run = async (lane: number) => {
    for (; performance.now() < end; answered++) await once(pool, lane)
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)))
  const seconds = (performance.now() - start) / 1000
  await pool.close()
  return { answered, seconds }
}
