import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { MCP_BIN, runToEnd } from '../../helpers/daemon/mcp.ts'
import type { Command, PageFile } from './page.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** One shell of a new user: an empty home, in which `mcp` and `npx mcp` are this build. */
export class ShellSession {
  readonly home = mkdtempSync(join(tmpdir(), 'mcp-page-'))
  /** Where the reader works. */
  readonly folder = join(this.home, 'work')
  private readonly output = join(this.home, '.output')
  private readonly input = join(this.home, '.input')
  private readonly env: NodeJS.ProcessEnv
  private readonly shell: ChildProcess
  private readonly results: AsyncIterator<string>

  constructor(variables: Record<string, string>) {
    mkdirSync(this.folder)
    const programs = writePrograms(this.home)
    const PATH = [programs, dirname(process.execPath), process.env.PATH].join(delimiter)
    this.env = { ...emptyHome(this.home), PATH, ...variables }
    // As the leader of a process group, so that programs in the background can be stopped with it.
    const stdio = ['pipe', 'ignore', 'inherit', 'pipe'] as const
    this.shell = spawn('sh', { cwd: this.folder, env: this.env, stdio: [...stdio], detached: true })
    const lines: Interface = createInterface({ input: this.shell.stdio[3] as NodeJS.ReadableStream })
    this.results = lines[Symbol.asyncIterator]()
  }

  write({ path, content }: PageFile): void {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }

  /** Runs a command in the shell. Returns its exit code and everything it printed. */
  async run({ text, input, interrupted }: Pick<Command, 'text' | 'input' | 'interrupted'>) {
    writeFileSync(this.input, input)
    // dash ignores the redirection of a group that is only a subshell.
    const script = interrupted
      ? interruptedScript(text, this.output)
      : `{ :\n${text}\n} > ${this.output} 2>&1`
    this.shell.stdin!.write(`{ :\n${script}\n} < ${this.input}\necho $? >&3\n`)
    const { value } = await this.results.next()
    return { code: Number(value), output: readFileSync(this.output, 'utf8') }
  }

  /** Stops everything that the session started, whether a command is running or not. */
  async close(): Promise<void> {
    process.kill(-this.shell.pid!, 'SIGKILL')
    await runToEnd(process.execPath, [MCP_BIN, 'daemon', 'stop'], { env: this.env })
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

/** Interrupts the command after its first line, as a reader who has seen enough. */
function interruptedScript(text: string, output: string): string {
  const pipe = `${output}.pipe`
  return [
    `rm -f ${pipe} && mkfifo ${pipe}`,
    `exec 4<> ${pipe}`,
    `${text.replace(/ #.*/, '')} > ${pipe} 2>&1 &`,
    `read -r first < ${pipe}; echo "$first" > ${output}`,
    `kill -INT $!; wait $!; code=$?; exec 4>&-; (exit $code)`,
  ].join('\n')
}

/** The environment without personal settings, which might lead to a real API or model. */
function emptyHome(home: string): NodeJS.ProcessEnv {
  const personal = /^(MCP_|XDG_|ANTHROPIC_|OPENAI_|GITHUB_)/
  const inherited = Object.entries(process.env).filter(([name]) => !personal.test(name))
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    // Compiled code is the same in every home.
    XDG_CACHE_HOME: join(root, 'node_modules/.cache/pages'),
    MCP_PORT: '0',
    MCP_WARM_SPARES: '0',
    NO_COLOR: '1',
  }
}

/** `mcp` as if installed, `npx` for its own commands, an `npm ci` that has nothing to do, and the real `npm test`. */
function writePrograms(home: string): string {
  const folder = join(home, '.programs')
  mkdirSync(folder)
  symlinkSync(MCP_BIN, join(folder, 'mcp'))
  const scripts = {
    npx: 'case $1 in mcp|mcp-hosting) shift; exec mcp "$@";; esac\necho "npx $1 needs a registry" >&2; exit 127',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell.
    npm: 'case $* in ci|"install --global mcp-hosting"*) exit 0;; test) PATH=${PATH#*:} exec npm test;; esac\necho "npm $* needs a registry" >&2; exit 127',
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}
