import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { homePaths } from '../../../src/shared/paths.ts'
import { serveHome } from '../../helpers/daemon/daemon-home.ts'
import { HostedCalls } from './hosted-calls.ts'
import type { Command, PageFile } from './page.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url))

/** One shell of a new user: an empty home, in which `mcp` and `npx mcp` are this build. */
export class ShellSession {
  readonly home = mkdtempSync(join(tmpdir(), 'mcp-page-'))
  /** Working folder of the reader. */
  readonly folder = join(this.home, 'work')
  private readonly output = join(this.home, '.output')
  private readonly input = join(this.home, '.input')
  private readonly env: NodeJS.ProcessEnv
  private readonly shell: ChildProcess
  private readonly calls = new HostedCalls()
  private daemon: { close(): Promise<void> } | undefined
  private ended = Promise.withResolvers<number>()

  constructor() {
    mkdirSync(this.folder)
    this.env = emptyHome(this.home, this.calls.folder)
    // The shell leads a process group, so that programs in the background can be stopped with it.
    const stdio = ['pipe', 'ignore', 'inherit', 'pipe'] as const
    this.shell = spawn('sh', { cwd: this.folder, env: this.env, stdio: [...stdio], detached: true })
    const lines = createInterface({ input: this.shell.stdio[3] as NodeJS.ReadableStream })
    // Each line is the exit code of a command, or the folder of a call.
    lines.on('line', line => {
      if (/^\d+$/.test(line)) this.ended.resolve(Number(line))
      else void this.calls.answer(line).catch(this.ended.reject)
    })
  }

  /** Starts the daemon of this home in this process. Otherwise, the first command that needs it starts it as a process. */
  async startDaemon(): Promise<void> {
    const [data, config] = ['.local/share', '.config'].map(folder => join(this.home, folder))
    this.daemon = await serveHome(homePaths({ XDG_DATA_HOME: data, XDG_CONFIG_HOME: config }))
  }

  write({ path, content }: PageFile): void {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }

  /** Runs a command in the shell. Returns its exit code and everything it printed. */
  async run({ text, input, interrupted }: Pick<Command, 'text' | 'input' | 'interrupted'>) {
    if (input !== undefined) writeFileSync(this.input, input)
    this.ended = Promise.withResolvers()
    // dash ignores the redirection of a group that is only a subshell.
    const script = interrupted
      ? interruptedScript(text, this.output)
      : `{ :\n${text}\n} > ${this.output} 2>&1`
    const source = input === undefined ? '/dev/null' : this.input
    this.shell.stdin!.write(`{ :\n${script}\n} < ${source}\necho $? >&3\n`)
    return { code: await this.ended.promise, output: readFileSync(this.output, 'utf8') }
  }

  /** Stops everything that the session started, whether or not a command is running. */
  async close(): Promise<void> {
    process.kill(-this.shell.pid!, 'SIGKILL')
    if (this.daemon) await this.daemon.close()
    else await this.calls.run({ args: ['daemon', 'stop'], env: this.env })
    this.calls.close()
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

/** Interrupts the command after its first line, like a reader who has seen enough. */
function interruptedScript(text: string, output: string): string {
  const pipe = `${output}.pipe`
  return [
    `rm -f ${pipe} && mkfifo ${pipe}`,
    `exec 4<> ${pipe}`,
    `INTERRUPTED=yes ${text.replace(/ #.*/, '')} > ${pipe} 2>&1 &`,
    `read -r first < ${pipe}; echo "$first" > ${output}`,
    `kill -INT $!; wait $!; code=$?; exec 4>&-; (exit $code)`,
  ].join('\n')
}

/** The environment without personal settings, which might lead to a real API or model. */
function emptyHome(home: string, calls: string): NodeJS.ProcessEnv {
  const personal = /^(MCP_|XDG_|ANTHROPIC_|OPENAI_|GITHUB_)/
  const inherited = Object.entries(process.env).filter(([name]) => !personal.test(name))
  return {
    ...Object.fromEntries(inherited),
    PATH: [PROGRAMS, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    PACKAGE: root,
    CALLS: calls,
    // Compiled code is the same in every home.
    XDG_CACHE_HOME: join(root, 'node_modules/.cache/pages'),
    MCP_PORT: '0',
    MCP_WARM_SPARES: '0',
    NO_COLOR: '1',
  }
}
