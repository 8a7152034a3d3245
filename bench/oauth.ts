import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { interleave, median } from './measure.ts'
import type { Figure } from './report.ts'

const SERVERS = fileURLToPath(new URL('./oauth-servers.ts', import.meta.url))
const ROUNDS = 3
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
 * The OAuth component beside oidc-provider, each in a process of its own, keys ES256, storage in memory: the token endpoint with a
 * refresh token that is replaced each time, and a request with a bearer token, over 16 kept-alive connections.
 */
export async function benchOAuth(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-bench-'))
  const ours = await start('component')
  const sqlite = await start('component-sqlite', join(folder, 'oauth.db'))
  const theirs = await start('oidc-provider')
  const theirUserInfo = await start('oidc-provider', 'bearer')
  try {
    const rates = await interleave(ROUNDS, {
      token: () => refreshRate(ours),
      sqlite: () => refreshRate(sqlite),
      theirToken: () => refreshRate(theirs),
      bearer: () => bearerRate(ours),
      theirBearer: () => bearerRate(theirUserInfo),
    })
    const rate = (name: string) => median(rates[name]!)
    const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}/s`
    const ratio = (left: string, right: string): Pick<Figure, 'measured' | 'limit'> => ({
      measured: rate(left) / rate(right),
      limit: { at: 'least', value: 1 },
    })
    return [
      { name: 'oidc-provider: token endpoint, refresh', value: perSecond(rate('theirToken')) },
      compared('token endpoint, refresh', rate('token'), ratio('token', 'theirToken')),
      // On the disk before it is answered, which theirs is not: no comparison.
      { name: '… with storage in SQLite', value: perSecond(rate('sqlite')) },
      { name: 'oidc-provider: userinfo with a bearer token', value: perSecond(rate('theirBearer')) },
      compared('bearer check', rate('bearer'), ratio('bearer', 'theirBearer')),
    ]
  } finally {
    for (const { process } of [ours, sqlite, theirs, theirUserInfo]) await stop(process)
    rmSync(folder, { recursive: true })
  }
}

function compared(name: string, rate: number, ratio: Pick<Figure, 'measured' | 'limit'>): Figure {
  const value = `${Math.round(rate).toLocaleString('en')}/s, ${ratio.measured!.toFixed(1)} of oidc-provider`
  return { name, value, ...ratio }
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

/** Refreshes a second; each lane goes on with the token that it got. */
async function refreshRate(server: Running): Promise<number> {
  const { token, refreshTokens } = server
  const url = new URL(token)
  return rateOf(url.origin, refreshTokens.length, async (pool, lane) => {
    const next = await refresh(server, pool, refreshTokens[lane]!)
    refreshTokens[lane] = next.refresh_token
  })
}

async function bearerRate(server: Running): Promise<number> {
  const url = new URL(server.bearer)
  const pool = new Pool(url.origin)
  const first = await refresh(server, pool, server.refreshTokens[0]!)
  await pool.close()
  server.refreshTokens[0] = first.refresh_token
  const headers = { authorization: `Bearer ${first.access_token}` }
  return rateOf(url.origin, server.refreshTokens.length, async connections => {
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

async function rateOf(
  origin: string,
  lanes: number,
  once: (pool: Pool, lane: number) => Promise<void>,
): Promise<number> {
  const pool = new Pool(origin, { connections: lanes })
  const start = performance.now()
  const end = start + SECONDS * 1000
  let answered = 0
  const run = async (lane: number) => {
    for (; performance.now() < end; answered++) await once(pool, lane)
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)))
  const rate = (answered * 1000) / (performance.now() - start)
  await pool.close()
  return rate
}
