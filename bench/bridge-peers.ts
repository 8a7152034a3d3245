import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, isUp } from './ports.ts'

/** Too large for a development dependency, so fetched on the first run. */
const PEERS = { supergateway: '4.0.0', 'mcp-proxy': '6.7.19' }
const FOLDER = fileURLToPath(new URL('../node_modules/.cache/bench-peers', import.meta.url))

export type PeerName = keyof typeof PEERS

export interface Peer {
  url: string
  pid: number
  stop(): void
}

/** Starts a third-party bridge in front of a Node program, as documented. */
export async function startPeer(name: PeerName, program: string): Promise<Peer> {
  await install()
  const port = await freePort()
  const child = spawn(join(FOLDER, 'node_modules', '.bin', name), COMMANDS[name](String(port), program), {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const url = `http://127.0.0.1:${port}/mcp`
  while (!(await isUp(url))) {
    if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return { url, pid: child.pid!, stop: () => stopGroup(child) }
}

const COMMANDS: Record<PeerName, (port: string, program: string) => string[]> = {
  supergateway: (port, program) => [
    ...['--stdio', `${process.execPath} ${program}`, '--outputTransport', 'streamableHttp', '--stateful'],
    ...['--port', port, '--logLevel', 'none'],
  ],
  'mcp-proxy': (port, program) => [
    ...['--port', port, '--host', '127.0.0.1', '--server', 'stream'],
    ...['--', process.execPath, program],
  ],
}

function stopGroup({ pid }: ChildProcess): void {
  process.kill(-pid!, 'SIGKILL')
}

async function install(): Promise<void> {
  if (Object.entries(PEERS).every(([name, version]) => installedVersion(name) === version)) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: PEERS }))
  const npm = spawn('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise(resolve => npm.once('close', resolve))
  if (code !== 0) throw new Error(`the peers cannot be installed: npm exited with ${code}`)
}

function installedVersion(name: string): string | undefined {
  const file = join(FOLDER, 'node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
}
