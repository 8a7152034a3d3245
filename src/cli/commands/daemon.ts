import { existsSync } from 'node:fs'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import { type Discovery, type HomePaths, homePaths } from '../../shared/paths.ts'
import { VERSION } from '../../shared/version.ts'
import { defineCommand, type OptionDeclaration } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { daemonEnvironment, daemonProgram, ensureDaemon, findDaemon, startDaemon } from '../daemon-client.ts'
import { readLog } from '../daemon-log.ts'
import { endDaemon, endHungDaemon, findDaemonOrHung } from '../end-daemon.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { runInForeground } from '../foreground.ts'
import { findHolder, holderError } from '../home-holder.ts'
import { inTime } from '../output.ts'
import { upgradeDaemon } from '../upgrade-daemon.ts'

const FIRST_STEP: NextStep = { description: 'Run a server', command: 'mcp up examples/weather' }
const WHAT_RUNS: NextStep = { description: 'See what runs', command: 'mcp status' }

/** The ways out when a file is lost for good. */
const LOST_FILES = {
  newDatabase: {
    type: 'boolean',
    doc: 'start with no servers when the database is lost; files that it does not know are kept for seven days',
  },
  newSecretKey: {
    type: 'boolean',
    doc: 'start with a new secret.key when the old one is lost; values encrypted with it are lost too',
  },
} as const satisfies Record<string, OptionDeclaration>

function flagsOf({ newDatabase, newSecretKey }: { newDatabase: boolean; newSecretKey: boolean }): string[] {
  return [...(newDatabase ? ['--new-database'] : []), ...(newSecretKey ? ['--new-secret-key'] : [])]
}

function alreadyRuns({ home }: HomePaths, { url }: Discovery, flags: readonly string[] = []): HostingError {
  const why = flags.length > 0 ? `; ${flags.join(' and ')} must be given at its start` : ''
  return new HostingError('CONFLICT', `The daemon of ${home} already runs at ${url}${why}.`, {
    next: [{ description: 'Stop it', command: 'mcp daemon stop' }],
  })
}

export const start = defineCommand({
  name: 'daemon start',
  summary: 'start the local daemon',
  description:
    'Starts the local daemon in the background and waits until it answers. Commands that need it start it themselves. MCP_HOME chooses its folder, MCP_PORT its port (0 picks a free one).',
  options: LOST_FILES,
  examples: [
    { command: 'mcp daemon start', does: 'start it, or say that it is already running' },
    { command: 'MCP_HOME=/tmp/one MCP_PORT=0 mcp daemon start --json', does: 'a daemon of its own' },
  ],
  async run(context, input) {
    const startedAt = performance.now()
    const running = await findDaemon(context.paths)
    const flags = flagsOf(input)
    if (running && flags.length > 0) throw alreadyRuns(context.paths, running, flags)
    const daemon = await context.output.progress('Starting the daemon', () =>
      flags.length > 0 ? startDaemon(context, flags) : ensureDaemon(context),
    )
    const verb = running ? 'The daemon runs' : 'Daemon started'
    const time = running ? '' : ` ${inTime(performance.now() - startedAt)}`
    report(context, daemon, `${verb} at ${daemon.url}${time}`)
  },
})

export const stop = defineCommand({
  name: 'daemon stop',
  summary: 'stop the local daemon and everything it started',
  description:
    'Stops the local daemon and all servers it runs, and waits until its process is gone; one that does not answer is ended. Nothing is lost: the next start brings every deployment back.',
  examples: [{ command: 'mcp daemon stop', does: 'end it; not running is fine too' }],
  async run(context) {
    const { output, paths } = context
    const startedAt = performance.now()
    const ended = await output.progress('Stopping the daemon', () => endDaemon(context))
    const killed = typeof ended === 'object'
    output.result({ stopped: ended !== false, ...(killed && { killed }), home: paths.home }, () => {
      if (!ended) return output.line('The daemon does not run.')
      output.line(`Daemon stopped ${inTime(performance.now() - startedAt)}`)
      if (killed) output.line(`It did not answer, so its process (pid ${ended.pid}) was ended.`)
    })
  },
})

export const restart = defineCommand({
  name: 'daemon restart',
  summary: 'put a new daemon in the place of the running one',
  description:
    'Starts a daemon that takes everything over from the running one, without a failed request: see "mcp daemon upgrade". One that does not run is started; one that does not answer is ended first.',
  examples: [{ command: 'MCP_INSTANCE_MEMORY_MB=512 mcp daemon restart', does: 'with another setting' }],
  async run(context) {
    const startedAt = performance.now()
    const daemon = await context.output.progress('Restarting the daemon', () => replaceDaemon(context))
    const time = inTime(performance.now() - startedAt)
    report(context, daemon, `Daemon restarted at ${daemon.url} ${time}`, WHAT_RUNS)
  },
})

export const upgrade = defineCommand({
  name: 'daemon upgrade',
  summary: 'let a daemon of this version take over',
  description:
    'Starts a daemon of this version, which inherits the ports of the running one. The old one answers on until the new one has started its servers, lets open connections end, and goes: no request fails, and sessions go on. When the new one cannot start, the old one stays.',
  examples: [{ command: 'mcp daemon upgrade', does: 'after an update of mcp-hosting' }],
  async run(context) {
    const startedAt = performance.now()
    const daemon = await context.output.progress('Upgrading the daemon', () => renewDaemon(context))
    const time = inTime(performance.now() - startedAt)
    report(context, daemon, `Version ${daemon.version} has taken over at ${daemon.url} ${time}`, WHAT_RUNS)
  },
})

async function renewDaemon(context: CommandContext): Promise<Discovery> {
  const running = await findDaemon(context.paths)
  return running ? upgradeDaemon(running, context) : startDaemon(context)
}

/** One that hangs has nothing to hand over. */
async function replaceDaemon(context: CommandContext): Promise<Discovery> {
  const { daemon, hung } = await findDaemonOrHung(context.paths)
  if (daemon) return upgradeDaemon(daemon, context)
  const ended = await endHungDaemon(context.paths, hung)
  if (ended) context.output.warn(`The daemon (pid ${ended.pid}) did not answer and was ended.`)
  return startDaemon(context)
}

export const status = defineCommand({
  name: 'daemon status',
  summary: 'whether the local daemon runs, and where',
  description: 'Tells whether the local daemon runs. Ends with 0 when it does and with 7 when it does not.',
  examples: [{ command: 'mcp daemon status --json', does: '{running, url, pid, version, startedAt, home}' }],
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
            ? `The daemon runs at ${url} (pid ${pid}, version ${version}, since ${startedAt})`
            : 'The daemon does not run.',
        )
        output.line(`Home: ${paths.home}`)
        if (holder) output.warn(holderError(holder, paths).message)
        if (holder) output.next({ description: 'Have it ended when it hangs', command: 'mcp doctor --fix' })
        else if (!daemon) output.next({ description: 'Start it', command: 'mcp daemon start' })
      },
    )
    return daemon ? EXIT.done : EXIT.unreachable
  },
})

export const logs = defineCommand({
  name: 'daemon logs',
  summary: 'what the local daemon logged',
  options: {
    follow: { type: 'boolean', short: 'f', doc: 'go on printing what comes, until Ctrl-C' },
    tail: { type: 'integer', value: 'lines', default: 100, doc: 'how many of the last lines' },
  },
  examples: [{ command: 'mcp daemon logs -f', does: 'watch it' }],
  async run({ output, paths, signal }, { follow, tail }): Promise<ExitCode> {
    if (!existsSync(paths.daemonLog)) {
      output.note('The daemon has not logged anything yet.')
      if (!follow) return EXIT.done
    }
    for await (const line of readLog(paths.daemonLog, { follow, tail, signal }))
      output.entry(line.fields, () => line.text)
    return signal.aborted ? EXIT.interrupted : EXIT.done
  },
})

export const run = defineCommand({
  name: 'daemon run',
  summary: 'run the daemon in the foreground',
  description:
    'Runs the daemon in the foreground, its log on standard error, until Ctrl-C or SIGTERM: for service managers and containers.',
  options: LOST_FILES,
  examples: [{ command: 'MCP_PORT=7000 mcp daemon run', does: 'on another port' }],
  async run({ env, paths }, input): Promise<ExitCode> {
    const running = await findDaemon(paths)
    if (running) throw alreadyRuns(paths, running)
    const options = { args: flagsOf(input), env: daemonEnvironment(env) }
    return (await runInForeground(daemonProgram(), options)) as ExitCode
  },
})

/** What scripts rely on: `{url, pid, version, home}`. */
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
