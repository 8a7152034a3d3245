import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { on, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { CommandResult } from '../daemon/mcp.ts'

const PROGRAM = fileURLToPath(new URL('./host-program.ts', import.meta.url))
const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

export interface CommandLine {
  args: string[]
  env: NodeJS.ProcessEnv
  cwd?: string | undefined
}

export interface CommandExit {
  code: number
}

/**
 * A process that runs commands of `dist/cli.js` one after another. Starting Node and loading the command takes ten times the
 * processor time of the command itself.
 */
export class CommandHost {
  readonly #env: NodeJS.ProcessEnv
  readonly #endOfOutput = `end of output ${randomUUID()}`
  readonly #child: ChildProcess
  isBusy = false

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#env = env
    this.#child = fork(PROGRAM, [CLI, this.#endOfOutput], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [],
    })
    this.#hold(false)
  }

  get isRunning(): boolean {
    return this.#child.connected
  }

  /** True when the process can run a command with this environment now. */
  accepts(env: NodeJS.ProcessEnv): boolean {
    return this.isRunning && !this.isBusy && !needsNewProcess(env, this.#env)
  }

  /** Kills the process and its command. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async run(line: CommandLine): Promise<CommandResult> {
    this.isBusy = true
    this.#hold(true)
    const over = new AbortController()
    try {
      const ended = Promise.all([
        this.#exit(over),
        this.#output('stdout', over),
        this.#output('stderr', over),
      ])
      this.#child.send(line)
      const [code, stdout, stderr] = await ended
      return { code, stdout, stderr }
    } finally {
      over.abort()
      this.#hold(false)
      this.isBusy = false
    }
  }

  /** Resolves with the exit code of the command, which may also make the process itself exit. */
  #exit({ signal }: AbortController): Promise<number | null> {
    return Promise.race([
      once(this.#child, 'message', { signal }).then(([message]) => (message as CommandExit).code),
      once(this.#child, 'exit', { signal }).then(([code]) => code as number | null),
    ])
  }

  async #output(name: 'stdout' | 'stderr', { signal }: AbortController): Promise<string> {
    const stream = this.#child[name]!
    let text = ''
    for await (const [chunk] of on(stream.setEncoding('utf8'), 'data', { signal, close: ['close'] })) {
      text += chunk
      if (text.endsWith(this.#endOfOutput)) return text.slice(0, -this.#endOfOutput.length)
    }
    return text
  }

  /** Sets whether the host process keeps this process running. */
  #hold(isHeld: boolean): void {
    const { channel, stdout, stderr } = this.#child
    const held = [this.#child, channel, stdout, stderr] as ({ ref(): void; unref(): void } | null)[]
    for (const one of held) isHeld ? one?.ref() : one?.unref()
  }
}

let host: CommandHost | undefined

/** Runs a command in the host. Undefined when the host is busy or the command needs its own process. */
export function runHosted(line: CommandLine): Promise<CommandResult> | undefined {
  if (host?.isBusy || needsNewProcess(line.env, process.env)) return undefined
  if (!host?.isRunning) host = new CommandHost()
  return host.run(line)
}

/** True when the environment changes variables that are only read once, by Node or by a module of the command. */
function needsNewProcess(env: NodeJS.ProcessEnv, start: NodeJS.ProcessEnv): boolean {
  const names = new Set([...Object.keys(env), ...Object.keys(start)])
  return [...names].some(name => /^(PATH$|NODE_)/.test(name) && env[name] !== start[name])
}
