import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodeFlags, processEnvironment } from '../src/daemon/engine/process-engine.ts'
import { deployEcho, startDaemon } from './daemon.ts'
import { deployModuleEcho } from './module.ts'
import { descendantsOf } from './processes.ts'
import { startProxies } from './proxies.ts'

/** A server that answers the echo call. */
export interface Candidate {
  url: string
  /** All processes involved in a response. */
  pids: number[]
}

export interface Candidates extends AsyncDisposable {
  raw: Candidate
  hosted: Candidate
  /** The same server in development, where every message is logged. */
  development: Candidate
  module: Candidate
  direct: Candidate
  /** The installed proxies in front of `direct`, by name. */
  proxies: Record<string, Candidate>
}

/** Starts all candidates. They run until they are disposed, and are idle except in their own round. */
export async function startCandidates(): Promise<Candidates> {
  await using stack = new AsyncDisposableStack()
  const daemon = await startDaemon()
  stack.defer(() => daemon.stop())
  const start = async (program: string, ...args: string[]) => {
    const started = await startProgram(program, args)
    stack.defer(started.stop)
    return { url: started.url, pids: [started.pid] }
  }
  const hosted = await deployEcho(daemon, 'echo', 'production')
  const development = await deployEcho(daemon, 'echo-development', 'development')
  const module = await deployModuleEcho(daemon, 'module')
  const raw = await start('raw-echo.ts')
  const direct = await start('direct-instance.ts')
  const proxies: Record<string, Candidate> = { 'an undici proxy': await start('undici-proxy.ts', direct.url) }
  for (const [name, proxy] of Object.entries(await startProxies(direct.url))) {
    stack.defer(proxy.stop)
    // The started process may only supervise its workers.
    const workers = descendantsOf(proxy.pid).map(({ pid }) => pid)
    proxies[name] = { url: proxy.url, pids: [proxy.pid, ...workers] }
  }
  for (const proxy of Object.values(proxies)) proxy.pids.push(...direct.pids)
  const instanceOf = (name: string) => daemon.call<Listed>('GET', `/v1/deploy?name=${name}`)
  const served = async (url: string, name: string): Promise<Candidate> => {
    const { items } = await instanceOf(name)
    return { url, pids: [daemon.pid, ...items.flatMap(({ instances }) => instances.map(({ pid }) => pid))] }
  }
  const ended = stack.move()
  return {
    raw,
    hosted: await served(hosted.url, 'echo'),
    development: await served(development.url, 'echo-development'),
    module: await served(module.url, 'module'),
    direct,
    proxies,
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  }
}

interface Listed {
  items: { instances: { pid: number }[] }[]
}

/**
 * Starts a program whose output goes to a file, as an instance's log does. A pipe would cost the instance more for its log lines,
 * and the generator would have to read them.
 */
async function startProgram(program: string, args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bench-candidate-'))
  const log = join(folder, 'output')
  const output = openSync(log, 'a')
  const path = fileURLToPath(new URL(program, import.meta.url))
  // An instance's flags and environment, so that only the hop differs.
  const isInstance = program === 'direct-instance.ts'
  const child = spawn(process.execPath, [...(isInstance ? nodeFlags(256) : []), path, ...args], {
    stdio: ['ignore', output, 'inherit', 'ipc'],
    env: isInstance ? processEnvironment(process.env) : process.env,
  })
  closeSync(output)
  const stop = () => stopProgram(child, folder)
  for (;;) {
    const url = /http:[^"\s]+/.exec(readFileSync(log, 'utf8'))?.[0]
    if (url) return { url, pid: child.pid!, stop }
    if (child.exitCode !== null) throw new Error(`${program} exited with ${child.exitCode}`)
    await sleep(20)
  }
}

async function stopProgram(child: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.disconnect()
  await ended
  rmSync(folder, { recursive: true, force: true })
}
