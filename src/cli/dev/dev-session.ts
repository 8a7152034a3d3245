import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import { LOG_LEVELS } from '../../shared/contract/states.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import { printable } from '../../shared/format/printable.ts'
import { formatTimeOfDay } from '../../shared/format/relative-time.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { countsToText } from '../output/counts.ts'
import { formatLogLine, type LogEntry } from '../output/log-lines.ts'
import { consolePage, signInUrl } from '../targets/console-link.ts'
import { BuildLoop, type BuildLoopOptions, type Outcome } from './build-loop.ts'
import { daemonId, waitForRestart } from './daemon-watch.ts'
import { markDev } from './dev-mark.ts'
import { Hotkeys } from './hotkeys.ts'
import { MissingVariables } from './missing-variables.ts'
import { OldBuilds } from './old-builds.ts'
import { PreviewDebugger } from './preview-debugger.ts'
import { isShown, type Level, PreviewLog } from './preview-log.ts'
import { FolderWatcher } from './watch-folder.ts'

const KEYS = 'r rebuild   c call a tool   o show URLs   l log level   ? keys   q quit'
const MAX_SHOWN_FILES = 3

export interface DevSettings {
  directory: string
  level: Level
  /** Port of the debugger. Undefined when there is none. */
  inspectPort: number | undefined
}

/** One run of `mcp dev`: the served build and the terminal output. */
export class DevSession {
  readonly #context: CommandContext
  readonly #directory: string
  #level: Level
  #served: BuildRecord | undefined
  #builds: OldBuilds | undefined
  #log: PreviewLog | undefined
  readonly #inspectPort: number | undefined
  #debugger: PreviewDebugger | undefined
  readonly #missing: MissingVariables
  /** Names of the variables that this run sets. */
  #given: string[] = []
  /** Log lines withheld during a prompt. */
  #held: LogEntry[] | undefined
  /** Identifies the daemon that serves the build. */
  #daemon: string | undefined
  #isDaemonStopped = false
  #removeMark: (() => void) | undefined
  readonly #ended = Promise.withResolvers<ExitCode>()
  readonly #closing = new AbortController()

  constructor(context: CommandContext, { directory, level, inspectPort }: DevSettings) {
    this.#context = context
    this.#directory = directory
    this.#level = level
    this.#inspectPort = inspectPort
    this.#missing = new MissingVariables(context)
  }

  async run(open: BuildLoopOptions['open']): Promise<ExitCode> {
    const { output, api } = this.#context
    await api()
    this.#daemon = await daemonId(this.#context)
    this.#builds = new OldBuilds(api)
    this.#debugger = this.#openDebugger()
    const read = async () => {
      const project = await open()
      this.#given = Object.keys(project.request.env_vars ?? {})
      return project
    }
    const loop = new BuildLoop(this.#context, { open: read, onOutcome: outcome => this.#report(outcome) })
    const build = (wanted?: Parameters<BuildLoop['build']>[0]) =>
      void loop.build(wanted).catch(error => this.#ended.reject(error))
    this.#log = new PreviewLog(api, {
      onLine: line => this.#showLine(line),
      onEnd: () => void this.#onLogEnd(build).catch(error => this.#ended.reject(error)),
    })
    const watcher = new FolderWatcher(this.#directory, build)
    const keys = output.interactive ? this.#hotkeys(() => build({ force: true })) : undefined
    onInterrupt(() => this.#ended.resolve(EXIT.interrupted))
    try {
      build()
      keys?.on()
      return await this.#ended.promise
    } finally {
      keys?.off()
      watcher.close()
      this.#closing.abort()
      this.#log.close()
      this.#debugger?.close()
      this.#removeMark?.()
      if (!this.#isDaemonStopped) await this.#builds.removeAll()
    }
  }

  #openDebugger(): PreviewDebugger | undefined {
    if (this.#inspectPort === undefined) return undefined
    const { output, api } = this.#context
    return new PreviewDebugger({
      openApi: api,
      port: this.#inspectPort,
      onOpen: url =>
        output.entry(
          { event: 'debugger', url },
          () => `${output.style.dim('debugger')}  ${output.style.cyan(url)}`,
        ),
      onError: error => this.#ended.reject(error),
    })
  }

  #hotkeys(rebuild: () => void): Hotkeys {
    const keys: Hotkeys = new Hotkeys({
      r: rebuild,
      c: () => void this.#call(keys),
      o: () => void this.#showUrl(),
      l: () => this.#nextLevel(),
      '?': () => this.#showKeys(),
      h: () => this.#showKeys(),
      q: () => this.#ended.resolve(EXIT.done),
      '\x03': () => this.#ended.resolve(EXIT.interrupted),
    })
    return keys
  }

  async #report(outcome: Outcome): Promise<void> {
    if (outcome.kind === 'built') {
      await this.#reportBuilt(outcome)
      return this.#missing.report(outcome.record.name, this.#given)
    }
    if (outcome.kind === 'failed') return this.#reportFailed(outcome)
  }

  async #reportBuilt({ record, ms, files }: Extract<Outcome, { kind: 'built' }>): Promise<void> {
    const { output } = this.#context
    const isFirst = this.#served?.url !== record.url
    this.#served = record
    this.#builds!.add(record.mcp_id)
    this.#log!.follow(record.mcp_id)
    this.#debugger?.follow(record.mcp_id)
    if (isFirst) this.#mark(record.name)
    if (output.json) return output.entry({ event: 'built', ms: Math.round(ms), files, ...record }, () => '')
    const time = formatDurationMs(ms)
    const head = output.style.dim(formatTimeOfDay())
    if (!isFirst)
      return output.line(
        `${head} ${output.style.green('reloaded')} ${record.name} in ${time}${filesText(files)}: ${countsToText(record)}`,
      )
    output.line(`${output.style.bold(record.name)}  ${output.style.cyan(record.url)}`)
    output.line(`built in ${time}: ${countsToText(record)}`)
    await this.#showConsole(record)
    this.#showKeys()
    output.line()
  }

  async #reportFailed({ error, ms, mcpId }: Extract<Outcome, { kind: 'failed' }>): Promise<void> {
    const { output } = this.#context
    if (mcpId) this.#builds!.discard(mcpId)
    if (output.json)
      return output.entry({ event: 'failed', ms: Math.round(ms), error: error.toBody() }, () => '')
    await output.error(error)
    if (this.#isDaemonStopped) return
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

  /** An API that implements only the contract has no console. */
  async #showConsole({ name, template }: BuildRecord): Promise<void> {
    const { output } = this.#context
    const url = template && (await signInUrl(this.#context, consolePage(name, 'preview')))
    if (url) output.line(`console  ${output.style.cyan(url)}`)
  }

  async #showUrl(): Promise<void> {
    const { output } = this.#context
    if (!this.#served) return output.line('No build yet.')
    output.line(output.style.cyan(this.#served.url))
    await this.#showConsole(this.#served)
    const name = quoteShellWord(this.#served.name)
    output.hint({
      description: 'Connect a client',
      command: `mcp connect ${name} --env preview --client claude-code`,
    })
  }

  #showKeys(): void {
    const { output } = this.#context
    if (output.interactive) output.line(output.style.dim(KEYS))
  }

  /** Makes commands in the folder use the preview. */
  #mark(name: string): void {
    this.#removeMark?.()
    this.#removeMark = markDev(this.#context, this.#directory, name)
  }

  /** Waits for the daemon's restart, because a stopping daemon closes the log stream. */
  async #onLogEnd(build: () => void): Promise<void> {
    const { output, reopenApi } = this.#context
    const onStopped = () => {
      this.#isDaemonStopped = true
      output.entry({ event: 'stopped' }, () =>
        output.style.yellow(
          'The daemon stopped, and the server with it. Start the daemon again: mcp daemon start',
        ),
      )
    }
    const { signal } = this.#closing
    if (!(await waitForRestart(this.#context, this.#daemon, { signal, onStopped }))) return
    await reopenApi()
    this.#daemon = await daemonId(this.#context)
    if (this.#isDaemonStopped)
      output.entry({ event: 'started' }, () => 'The daemon is running again, and the server with it.')
    this.#isDaemonStopped = false
    this.#log!.follow(this.#served!.mcp_id)
    this.#debugger?.follow(this.#served!.mcp_id)
    build()
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

/** ` (tools/a.ts, tools/b.ts)` */
function filesText(files: readonly string[]): string {
  if (files.length === 0) return ''
  const more = files.length > MAX_SHOWN_FILES ? ` and ${files.length - MAX_SHOWN_FILES} more` : ''
  return ` (${printable(files.slice(0, MAX_SHOWN_FILES).join(', '))}${more})`
}

/** Ends the session on Ctrl-C, SIGTERM or SIGHUP, so that it can remove old builds. A second signal exits immediately. */
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
