import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BenchDaemon, type Deployed, startDaemon } from './daemon.ts'
import { interleave, median } from './measure.ts'
import { freePort, isUp } from './ports.ts'
import type { Figure } from './report.ts'
import { loadSessions } from './session-load.ts'

const ROUNDS = 5
const SECONDS = 1.5
const SESSIONS = 16

const ECHO = fileURLToPath(new URL('stdio-echo.ts', import.meta.url))
/** Too heavy for everybody who installs this repository, so fetched with the first run. */
const PEERS = { supergateway: '4.0.0', 'mcp-proxy': '6.7.19' }
const PEER_FOLDER = fileURLToPath(new URL('../node_modules/.cache/bench-peers', import.meta.url))

/** The same server over stdio behind our bridge and behind those of others, by sessions of 2025-11-25. */
export async function benchStdioBridge(): Promise<Figure[]> {
  await installPeers()
  const daemon = await startDaemon()
  const children: ChildProcess[] = []
  try {
    const urls = {
      shared: await deploy(daemon, 'shared'),
      session: await deploy(daemon, 'session'),
      supergateway: await startPeer(children, port => [
        'supergateway',
        ...['--stdio', `${process.execPath} ${ECHO}`, '--outputTransport', 'streamableHttp', '--stateful'],
        ...['--port', String(port), '--logLevel', 'none'],
      ]),
      'mcp-proxy': await startPeer(children, port => [
        'mcp-proxy',
        ...[
          '--port',
          String(port),
          '--host',
          '127.0.0.1',
          '--server',
          'stream',
          '--',
          process.execPath,
          ECHO,
        ],
      ]),
    }
    return await compare(urls)
  } finally {
    for (const { pid } of children) process.kill(-pid!, 'SIGKILL')
    await daemon.stop()
  }
}

async function compare(urls: Record<string, string>): Promise<Figure[]> {
  const candidates = Object.fromEntries(
    Object.entries(urls).map(([name, url]) => [name, () => loadSessions(url, SESSIONS, SECONDS)]),
  )
  await interleave(1, candidates) // what runs for the first time is compiled, and belongs to no figure
  const rates = await interleave(ROUNDS, candidates)
  const rate = (name: string) => Math.round(median(rates[name]!))
  const ratio = (name: string, to: string) =>
    median(rates[name]!.map((value, round) => value / rates[to]![round]!))
  const against = (name: string, peer: string): Figure => {
    const measured = ratio(name, peer)
    return {
      name: `${LABELS[name]}, against ${peer}`,
      value: `${rate(name)}/s to ${rate(peer)}/s, ${measured.toFixed(1)}×`,
      measured,
      limit: { at: 'least', value: 1, unit: '×' },
    }
  }
  return [
    against('shared', 'mcp-proxy'),
    against('shared', 'supergateway'),
    against('session', 'supergateway'),
  ]
}

const LABELS: Record<string, string> = {
  shared: `one child for ${SESSIONS} sessions`,
  session: `a child for each of ${SESSIONS} sessions`,
}

async function deploy(daemon: BenchDaemon, isolation: string): Promise<string> {
  const name = `echo-${isolation}`
  const program = { type: 'stdio', command: process.execPath, args: [ECHO], isolation }
  const build = await daemon.call<Deployed>('POST', '/v1/build', { name, template: 'custom', program })
  const request = {
    mcp_id: build.mcp_id,
    environment: 'production',
    config: { scaling: { max_instances: 1 } },
  }
  return (await daemon.call<Deployed>('POST', '/v1/deploy', request)).url
}

async function startPeer(children: ChildProcess[], command: (port: number) => string[]): Promise<string> {
  const port = await freePort()
  const [name, ...args] = command(port)
  const child = spawn(join(PEER_FOLDER, 'node_modules', '.bin', name!), args, {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  children.push(child)
  const url = `http://127.0.0.1:${port}/mcp`
  while (!(await isUp(url))) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return url
}

async function installPeers(): Promise<void> {
  const manifest = join(PEER_FOLDER, 'package.json')
  const isThere = Object.keys(PEERS).every(name => existsSync(join(PEER_FOLDER, 'node_modules', name)))
  if (isThere) return
  mkdirSync(PEER_FOLDER, { recursive: true })
  writeFileSync(manifest, JSON.stringify({ private: true, dependencies: PEERS }))
  const npm = spawn('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: PEER_FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise(resolve => npm.once('close', resolve))
  if (code !== 0) throw new Error(`the peers cannot be installed: npm ended with ${code}`)
}
