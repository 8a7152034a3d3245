import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandHost, type CommandLine } from '../../helpers/commands/command-host.ts'
import type { CommandResult } from '../../helpers/daemon/mcp.ts'

/** Processes of all sessions. Pages run concurrently, and a process runs one command at a time. */
const hosts = new Set<CommandHost>()

/**
 * Runs the commands that the `mcp` script of a page hands over. For short commands, starting a process takes most of the
 * processor time.
 */
export class HostedCalls {
  /** Folder where `mcp` writes its commands. */
  readonly folder = mkdtempSync(join(tmpdir(), 'mcp-calls-'))
  readonly #running = new Set<CommandHost>()
  readonly #answers: number[] = []

  async run(line: CommandLine): Promise<CommandResult> {
    const host = [...hosts].find(one => one.accepts(line.env)) ?? new CommandHost(line.env)
    hosts.add(host)
    this.#running.add(host)
    const ended = await host.run(line)
    this.#running.delete(host)
    return ended
  }

  /** Runs the command that is stored in the folder of a call, and writes its output and exit code there. */
  async answer(call: string): Promise<void> {
    // Opened for reading and writing, so that opening does not wait for a reader.
    const code = openSync(join(call, 'code'), constants.O_RDWR)
    this.#answers.push(code)
    const [cwd, ...args] = valuesOf(join(call, 'command'))
    const env = Object.fromEntries(valuesOf(join(call, 'env')).map(text => splitAt(text, text.indexOf('='))))
    const ended = await this.run({ args, env, cwd })
    for (const name of ['stdout', 'stderr'] as const) writeFileSync(join(call, name), ended[name])
    writeSync(code, `${ended.code ?? 1}\n`)
  }

  close(): void {
    for (const host of this.#running) host.kill()
    for (const descriptor of this.#answers) closeSync(descriptor)
    rmSync(this.folder, { recursive: true })
  }
}

/** Reads values that end with a zero byte each. */
function valuesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\0').slice(0, -1)
}

function splitAt(text: string, at: number): [string, string] {
  return [text.slice(0, at), text.slice(at + 1)]
}
