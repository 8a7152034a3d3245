import { existsSync } from 'node:fs'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import { formatAge } from '../../shared/format/relative-time.ts'
import { type Discovery, type HomePaths, homePaths } from '../../shared/paths.ts'
import { VERSION } from '../../shared/version.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { OptionDeclaration } from '../command-line/declaration.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { readLog } from '../local-daemon/daemon-log.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'
import { runInForeground } from '../local-daemon/foreground.ts'
import { findHolder, holderError } from '../local-daemon/home-holder.ts'
import { daemonEnvironment, daemonProgram, ensureDaemon, startDaemon } from '../local-daemon/start-daemon.ts'
import { findDaemonOrTimeout, killHungDaemon, stopAnyDaemon } from '../local-daemon/stop-daemon.ts'
import { upgradeDaemon } from '../local-daemon/upgrade-daemon.ts'
import { inTime } from '../output/output.ts'

const FIRST_STEP: NextStep = {
  description: 'Start with an example',
  command: 'mcp init weather --example weather',
}
const SHOW_STATUS: NextStep = { description: 'Show what is running', command: 'mcp status' }

/** Options for permanently lost files. */
const LOST_FILES = {
  newDatabase: {
    type: 'boolean',
    doc: 'start without servers when the database is lost; unknown files are kept for seven days',
  },
  newSecretKey: {
    type: 'boolean',
    doc: 'start with a new secret.key when the old one is lost; values encrypted with it are lost too',
  },
} as const satisfies Record<string, OptionDeclaration>

function flagsOf({ newDatabase, newSecretKey }: { newDatabase: boolean; newSecretKey: boolean }): string[] {
  return [...(newDatabase ? ['--new-database'] : []), ...(newSecretKey ? ['--new-secret-key'] : [])]
}

function alreadyRunning(
  { home }: HomePaths,
  { url }: Discovery,
  flags: readonly string[] = [],
): HostingError {
  const why = flags.length > 0 ? `, and ${flags.join(' and ')} must be given when it starts` : ''
  return new HostingError('CONFLICT', `The daemon for ${home} is already running at ${url}${why}.`, {
    next: [{ description: 'Stop the running daemon', command: 'mcp daemon stop' }],
  })
}

export const start = defineCommand({
  name: 'daemon start',
  description:
    'Start the local daemon in the background and wait until it responds. Commands that need it start it automatically. MCP_HOME sets its folder, MCP_PORT its port (0: any free port).',
  options: LOST_FILES,
  examples: {
    'mcp daemon start': 'start it, or say that it is already running',
    'MCP_HOME=/tmp/one MCP_PORT=0 mcp daemon start --json': 'a separate daemon',
  },
  async run(context, input) {
    const startedAt = performance.now()
    const running = await findDaemon(context.paths)
    const flags = flagsOf(input)
    if (running && flags.length > 0) throw alreadyRunning(context.paths, running, flags)
    const daemon = await context.output.progress('Starting the daemon', () =>
      flags.length > 0 ? startDaemon(context, flags) : ensureDaemon(context),
    )
    const verb = running ? 'The daemon is running' : 'Daemon started'
    const time = running ? '' : ` ${inTime(performance.now() - startedAt)}`
    report(context, daemon, `${verb} at ${daemon.url}${time}`)
  },
})

export const stop = defineCommand({
  name: 'daemon stop',
  description:
    'Stop the local daemon and all its servers, and wait until its process is gone. A daemon that does not respond is killed. The next start restores every deployment.',
  examples: { 'mcp daemon stop': 'also succeeds if it is not running' },
  async run(context) {
    const { output, paths } = context
    const startedAt = performance.now()
    const ended = await output.progress('Stopping the daemon', () => stopAnyDaemon(context))
    const killed = typeof ended === 'object'
    output.result({ stopped: ended !== false, ...(killed && { killed }), home: paths.home }, () => {
      if (!ended) return output.line('The daemon is not running.')
      output.line(`Daemon stopped ${inTime(performance.now() - startedAt)}`)
      if (killed) output.line(`It did not respond, so its process (pid ${ended.pid}) was killed.`)
    })
  },
})

export const restart = defineCommand({
  name: 'daemon restart',
  description:
    'Replace the running daemon without a failed request, as "mcp daemon upgrade" does. Starts the daemon if it is not running, and kills it first if it does not respond.',
  examples: { 'MCP_INSTANCE_MEMORY_MB=512 mcp daemon restart': 'with another setting' },
  async run(context) {
    const startedAt = performance.now()
    const daemon = await context.output.progress('Restarting the daemon', () => replaceDaemon(context))
    const time = inTime(performance.now() - startedAt)
    report(context, daemon, `Daemon restarted at ${daemon.url} ${time}`, SHOW_STATUS)
  },
})

export const upgrade = defineCommand({
  name: 'daemon upgrade',
  description:
    'Start a daemon of this version, which takes over the ports of the running daemon. The old daemon serves until the new daemon has started its servers, then drains its connections and exits. No request fails and sessions continue. If the new daemon cannot start, the old daemon keeps running.',
  examples: { 'mcp daemon upgrade': 'after updating mcp-hosting' },
  async run(context) {
    const startedAt = performance.now()
    const daemon = await context.output.progress('Upgrading the daemon', () => upgradeRunning(context))
    const time = inTime(performance.now() - startedAt)
    report(context, daemon, `Version ${daemon.version} has taken over at ${daemon.url} ${time}`, SHOW_STATUS)
  },
})

async function upgradeRunning(context: CommandContext): Promise<Discovery> {
  const running = await findDaemon(context.paths)
  return running ? upgradeDaemon(running, context) : startDaemon(context)
}

/** Kills a hung daemon, because a hung daemon cannot transfer its sockets. */
async function replaceDaemon(context: CommandContext): Promise<Discovery> {
  const { daemon, hung } = await findDaemonOrTimeout(context.paths)
  if (daemon) return upgradeDaemon(daemon, context)
  const ended = await killHungDaemon(context.paths, hung)
  if (ended) context.output.warn(`The daemon (pid ${ended.pid}) did not respond and was killed.`)
  return startDaemon(context)
}

export const status = defineCommand({
  name: 'daemon status',
  description: 'Show whether the local daemon is running. Exits with 0 if it is and with 7 if not.',
  examples: { 'mcp daemon status --json': '{running, url, pid, version, startedAt, home}' },
  async run({ output, paths }): Promise<ExitCode> {
    const daemon = await findDaemon(paths)
    const holder = daemon ? undefined : findHolder(paths)
    const { url = null, pid = null, version = null, startedAt = null } = daemon ?? {}
    output.result(
      {
        running: daemon !== undefined,
        url,
        pid,
        version,
        startedAt,
        home: paths.home,
        ...(holder && { holder }),
      },
      () => {
        output.line(
          daemon
            ? `The daemon is running at ${url} (pid ${pid}, version ${version}, started ${formatAge(startedAt!)})`
            : 'The daemon is not running.',
        )
        output.line(`Home: ${paths.home}`)
        if (holder) output.warn(holderError(holder, paths).message)
        if (holder) output.next({ description: 'Kill it if it hangs', command: 'mcp doctor --fix' })
        else if (!daemon) output.next({ description: 'Start it', command: 'mcp daemon start' })
      },
    )
    return daemon ? EXIT.done : EXIT.unreachable
  },
})

export const logs = defineCommand({
  name: 'daemon logs',
  options: {
    follow: { type: 'boolean', short: 'f', doc: 'keep printing new lines, until Ctrl-C' },
    tail: { type: 'integer', value: 'lines', default: 100, doc: 'number of lines to show' },
  },
  examples: { 'mcp daemon logs -f': 'follow the log' },
  async run({ output, paths, signal }, { follow, tail }): Promise<ExitCode> {
    if (!existsSync(paths.daemonLog)) {
      output.note('The daemon has no log yet.')
      if (!follow) return EXIT.done
    }
    for await (const line of readLog(paths.daemonLog, { follow, tail, signal }))
      output.entry(line.fields, () => line.text)
    return signal.aborted ? EXIT.interrupted : EXIT.done
  },
})

export const run = defineCommand({
  name: 'daemon run',
  description:
    'Run the daemon in the foreground until Ctrl-C or SIGTERM, for service managers and containers. The log goes to standard error.',
  options: LOST_FILES,
  examples: { 'MCP_PORT=7000 mcp daemon run': 'on another port' },
  async run({ env, paths }, input): Promise<ExitCode> {
    const running = await findDaemon(paths)
    if (running) throw alreadyRunning(paths, running)
    const options = { args: flagsOf(input), env: daemonEnvironment(env) }
    return (await runInForeground(daemonProgram(), options)) as ExitCode
  },
})

/** Scripts rely on `{url, pid, version, home}`. */
function report(
  { output, env }: CommandContext,
  daemon: Discovery,
  sentence: string,
  next: NextStep = FIRST_STEP,
): void {
  const { home } = homePaths(env)
  const { url, pid, version } = daemon
  output.result({ url, pid, version, home }, () => {
    output.line(sentence)
    if (version === VERSION) output.next(next)
  })
}
