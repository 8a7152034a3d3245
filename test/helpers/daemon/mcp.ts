import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sendSignal } from '../../../src/cli/local-daemon/process.ts'
import { runHosted } from '../commands/command-host.ts'
import { isRunning, readProc } from '../processes.ts'

export const MCP_BIN = fileURLToPath(new URL('../../../bin/mcp.js', import.meta.url))

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  input?: string | undefined
  /** Runs the command in its own process. Otherwise, it may share a process with other commands. */
  ownProcess?: boolean
}

/** An empty home with its own environment, as for a new user. `remove` stops its daemon first. */
export interface TestHome {
  dir: string
  env: NodeJS.ProcessEnv
  /** Runs `mcp` and waits until it exits. */
  mcp(args: string[], options?: CommandOptions): Promise<CommandResult>
  /** Runs `mcp … --json`, expects exit code 0 and returns the printed value. */
  json<T>(args: string[], options?: { env?: NodeJS.ProcessEnv; cwd?: string }): Promise<T>
  discovery(): { url: string; pid: number; nonce: string; startedAt: string; version: string } | undefined
  apiKey(): string
  remove(): Promise<void>
}

export function createHome(): TestHome {
  const dir = mkdtempSync(join(tmpdir(), 'mcp-home-'))
  const personal = ['MCP_API_URL', 'MCP_API_KEY', 'MCP_CONTEXT']
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !personal.includes(name)),
  )
  const env = {
    ...inherited,
    MCP_HOME: dir,
    MCP_PORT: '0',
    // Most test daemons stop before they use a spare process.
    MCP_WARM_SPARES: '0',
    NO_COLOR: '1',
    // At a terminal, a command would look for a newer version, in a process that outlives it.
    NO_UPDATE_NOTIFIER: '1',
    HOME: dir,
  }
  const home: TestHome = {
    dir,
    env,
    async mcp(args, { ownProcess, ...options } = {}) {
      const hosted = !ownProcess && options.input === undefined && runHosted({ args, env, ...options })
      return hosted || runToEnd(process.execPath, [MCP_BIN, ...args], { env, ...options })
    },
    async json(args, options) {
      const ended = await home.mcp([...args, '--json'], options)
      if (ended.code !== 0)
        throw new Error(`mcp ${args.join(' ')} exited with ${ended.code}: ${ended.stderr}`)
      return JSON.parse(ended.stdout)
    },
    discovery() {
      const path = join(dir, 'daemon.json')
      return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
    },
    apiKey: () => JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8')).contexts.local.apiKey,
    async remove() {
      const daemon = home.discovery()
      if (daemon && belongsTo(dir, daemon.pid)) await terminate(daemon.pid)
      else if (daemon) await home.mcp(['daemon', 'stop'])
      // A daemon that lost the race for the home may still be writing its log.
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
  return home
}

/** Like `mcp daemon stop`, but without a process. */
async function terminate(pid: number): Promise<void> {
  // A failed test may have left it suspended.
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) sendSignal(pid, signal)
  await eventually(() => !isRunning(pid))
}

/** True when the process belongs to the home. A discovery file may name any process. False without /proc (macOS). */
function belongsTo(home: string, pid: number): boolean {
  return readProc(pid, 'environ').includes(`MCP_HOME=${home}\0`)
}

export function runToEnd(
  command: string,
  args: string[],
  options: Omit<CommandOptions, 'ownProcess'> = {},
): Promise<CommandResult> {
  const child = spawn(command, args, { env: options.env, cwd: options.cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  // A program may exit before it reads its input. The test decides whether that is an error.
  child.stdin.on('error', () => {}).end(options.input ?? '')
  return resultOf(child)
}

function resultOf(child: ChildProcess): Promise<CommandResult> {
  const result: CommandResult = { code: null, stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', text => {
    result.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    result.stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve({ ...result, code }))
  })
}

/** Polls at growing intervals until `check` returns something truthy. The test's own timeout is the limit. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (let waitMs = 10; ; waitMs = Math.min(waitMs * 1.3, 200)) {
    const value = await check()
    if (value) return value
    await new Promise(resolve => setTimeout(resolve, waitMs))
  }
}
