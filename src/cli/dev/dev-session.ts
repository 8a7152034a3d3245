import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import { LOG_LEVELS } from '../../shared/contract/states.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { countsToText } from '../output/counts.ts'
import { formatLogLine, type LogEntry } from '../output/log-lines.ts'
import { BuildLoop, type BuildLoopOptions, type Outcome } from './build-loop.ts'
import { Hotkeys } from './hotkeys.ts'
import { MissingVariables } from './missing-variables.ts'
import { OldBuilds } from './old-builds.ts'
import { isShown, type Level, PreviewLog } from './preview-log.ts'
import { FolderWatcher } from './watch-folder.ts'

const KEYS = 'r rebuild   c call a tool   o show URL   l log level   q quit'

/** One run of `mcp dev`: the served build and the terminal output. */
export class DevSession {
  readonly #context: CommandContext
  readonly #directory: string
  #level: Level
  #served: BuildRecord | undefined
  #builds: OldBuilds | undefined
  #log: PreviewLog | undefined
  readonly #missing: MissingVariables
  /** Names of variables that have a value in this run only. */
  #given: string[] = []
  /** Log lines withheld during a prompt. */
  #held: LogEntry[] | undefined
  readonly #ended = Promise.withResolvers<ExitCode>()

  constructor(context: CommandContext, directory: string, level: Level) {
    this.#context = context
    this.#directory = directory
    this.#level = level
    this.#missing = new MissingVariables(context)
  }

  async run(open: BuildLoopOptions['open']): Promise<ExitCode> {
    const { output } = this.#context
    const api = await this.#context.api()
    this.#log = new PreviewLog(api, line => this.#showLine(line))
    this.#builds = new OldBuilds(api)
    const read = async () => {
      const project = await open()
      this.#given = Object.keys(project.request.env_vars ?? {})
      return project
    }
    const loop = new BuildLoop(this.#context, { open: read, onOutcome: outcome => this.#report(outcome) })
    const build = (wanted?: { since?: number; force?: boolean }) =>
      void loop.build(wanted).catch(error => this.#ended.reject(error))
    const watcher = new FolderWatcher(this.#directory, since => build({ since }))
    const keys = output.interactive ? this.#hotkeys(() => build({ force: true })) : undefined
    onInterrupt(() => this.#ended.resolve(EXIT.interrupted))
    try {
      build()
      keys?.on()
      return await this.#ended.promise
    } finally {
      keys?.off()
      watcher.close()
      this.#log.close()
      await this.#builds.removeAll()
    }
  }

  #hotkeys(rebuild: () => void): Hotkeys {
    const keys: Hotkeys = new Hotkeys({
      r: rebuild,
      c: () => void this.#call(keys),
      o: () => this.#showUrl(),
      l: () => this.#nextLevel(),
      q: () => this.#ended.resolve(EXIT.done),
      '\x03': () => this.#ended.resolve(EXIT.interrupted),
    })
    return keys
  }

  async #report(outcome: Outcome): Promise<void> {
    if (outcome.kind === 'built') {
      this.#reportBuilt(outcome)
      return this.#missing.report(outcome.record.name, this.#given)
    }
    if (outcome.kind === 'failed') return this.#reportFailed(outcome)
  }

  #reportBuilt({ record, ms }: Extract<Outcome, { kind: 'built' }>): void {
    const { output } = this.#context
    const isFirst = this.#served?.url !== record.url
    this.#served = record
    this.#builds!.add(record.mcp_id)
    this.#log!.follow(record.mcp_id)
    if (output.json) return output.entry({ event: 'built', ms: Math.round(ms), ...record }, () => '')
    const time = formatDurationMs(ms)
    if (!isFirst)
      return output.line(
        `${output.style.green('reloaded')} ${record.name} in ${time}: ${countsToText(record)}`,
      )
    output.line(`${output.style.bold(record.name)}  ${output.style.cyan(record.url)}`)
    output.line(`built in ${time}: ${countsToText(record)}`)
    if (output.interactive) output.line(output.style.dim(KEYS))
    output.line()
  }

  async #reportFailed({ error, ms, mcpId }: Extract<Outcome, { kind: 'failed' }>): Promise<void> {
    const { output } = this.#context
    if (mcpId) this.#builds!.discard(mcpId)
    if (output.json)
      return output.entry({ event: 'failed', ms: Math.round(ms), error: error.toBody() }, () => '')
    await output.error(error)
    output.line(
      output.style.dim(this.#served ? 'The last good build keeps serving.' : 'Waiting for a change.'),
    )
  }

  #showLine(line: LogEntry): void {
    if (this.#held) return void this.#held.push(line)
    if (!isShown(line, this.#level)) return
    const { output } = this.#context
    // Omits the date.
    const timestamp = line.timestamp?.slice(11)
    output.entry({ event: 'log', ...line }, () =>
      formatLogLine({ ...line, ...(timestamp && { timestamp }) }, output.style),
    )
  }

  #showUrl(): void {
    const { output } = this.#context
    if (!this.#served) return output.line('No build yet.')
    output.line(output.style.cyan(this.#served.url))
    output.line(
      `connect a client: ${output.style.cyan(`mcp connect ${this.#served.name} --client claude-code`)}`,
    )
  }

  #nextLevel(): void {
    this.#level = LOG_LEVELS[(LOG_LEVELS.indexOf(this.#level) + 1) % LOG_LEVELS.length]!
    this.#context.output.line(`log level: ${this.#level}`)
  }

  async #call(keys: Hotkeys): Promise<void> {
    if (!this.#served) return this.#showUrl()
    keys.off()
    this.#held = []
    try {
      const { promptCall } = await import('../dev/call-prompt.ts')
      await promptCall(this.#context, this.#served.url)
    } catch (error) {
      // Ctrl-C cancels the prompt.
      if (error instanceof HostingError) await this.#context.output.error(error)
      else if ((error as Error).name !== 'ExitPromptError') this.#ended.reject(error)
    }
    const held = this.#held
    this.#held = undefined
    for (const line of held) this.#showLine(line)
    keys.on()
  }
}

/** Lets the session remove old builds first. A second Ctrl-C exits immediately. */
function onInterrupt(end: () => void): void {
  const earlier = process.listeners('SIGINT')
  let isEnding = false
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (isEnding) process.exit(EXIT.interrupted)
      isEnding = true
      end()
    })
  // Last, because a signal without a listener kills the process.
  for (const listener of earlier) process.off('SIGINT', listener)
}
