import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { HostingError } from '../../../shared/errors.ts'

const TIMEOUT_MS = 5 * 60_000
const MAX_OUTPUT = 20_000

/** Skips package scripts, which bundles do not need. */
const ARGUMENTS = [
  'ci',
  '--ignore-scripts',
  '--omit=dev',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--no-progress',
  '--no-update-notifier',
  '--loglevel=error',
  // By default, npm waits 10 s and then 60 s before it reports an unreachable registry.
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=200',
  '--fetch-retry-maxtimeout=2000',
  '--fetch-retry-factor=2',
]

/** Error codes of npm and Node for an unreachable registry. */
const UNREACHABLE_CODES =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT/

/** npm's lines about a lock file mismatch. npm prints its usage after them. */
const MISMATCH_LINE = /^(?:Invalid|Missing): .*$/m

/** Installs the packages of a folder's lock file in that folder. Throws like `runNpm`. */
export function npmInstall(directory: string, closing: AbortSignal): Promise<void> {
  return runNpm(directory, ARGUMENTS, closing)
}

/**
 * Runs npm in a folder. `what`: what is being installed, for errors. Throws UPSTREAM_FAILED or INVALID_MCP with npm's output in
 * `details`, TIMEOUT, UNAVAILABLE when npm cannot be started, or INTERRUPTED when `closing` aborts.
 */
export async function runNpm(
  directory: string,
  args: readonly string[],
  closing: AbortSignal,
  what = 'the dependencies of package-lock.json',
): Promise<void> {
  const { code, output } = await run(directory, args, closing)
  if (code === 0) return
  const details = toReadable(output)
  if (output.includes('EUSAGE') && MISMATCH_LINE.test(details)) throw lockFileMismatch(details)
  const reason = UNREACHABLE_CODES.exec(output)?.[0]
  if (reason)
    throw new HostingError('UPSTREAM_FAILED', `The npm registry cannot be reached (${reason}).`, {
      details: `${details}\nWithout a registry, npm can install only packages that it has downloaded before.`,
    })
  throw new HostingError('INVALID_MCP', `npm cannot install ${what}.`, { details })
}

function lockFileMismatch(details: string): HostingError {
  const command = 'npm install --package-lock-only'
  return new HostingError('INVALID_MCP', 'package-lock.json does not match package.json.', {
    details: [
      ...details.split('\n').filter(line => MISMATCH_LINE.test(line)),
      `Update the lock file, then build again: ${command}`,
    ].join('\n'),
    next: [{ description: 'Update the lock file', command }],
  })
}

async function run(
  directory: string,
  args: readonly string[],
  closing: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  if (closing.aborted) throw interruptedInstall()
  const child = start(directory, args)
  const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)])
  const kill = () => killGroup(child)
  signal.addEventListener('abort', kill)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output = (output + text).slice(-MAX_OUTPUT)
    })
  return new Promise((resolve, reject) => {
    child.once('error', error => reject(notStarted(error)))
    child.once('close', code => {
      signal.removeEventListener('abort', kill)
      if (signal.aborted) reject(closing.aborted ? interruptedInstall() : tooSlow())
      else if (code === NOT_FOUND) reject(notStarted({ code: 'ENOENT' } as NodeJS.ErrnoException))
      else resolve({ code, output })
    })
  })
}

/** Exit code of a shell for an unknown program. */
const NOT_FOUND = 127

/** Kills npm when the daemon dies. The kernel then closes the pipe, to which the daemon never writes. */
const GUARD_SCRIPT = `
exec 3<&0
npm "$@" </dev/null 3<&- &
npm=$!
{ read -r _ <&3; kill -s KILL 0; } >/dev/null 2>&1 &
guard=$!
wait $npm
code=$?
kill $guard
exit $code
`

function start(
  directory: string,
  args: readonly string[],
): ChildProcessByStdio<Writable, Readable, Readable> {
  const options = { cwd: directory, env: environment(process.env), stdio: 'pipe' } as const
  if (process.platform === 'win32') return spawn('npm.cmd', args, { ...options, shell: true })
  // A dedicated process group, so that processes of scripts can be killed too.
  return spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'npm-guard', ...args], { ...options, detached: true })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // otherwise it has just exited
  }
}

/** Variables that npm needs: its settings, such as a registry, the proxy, certificates and the user's folders. */
const PASSED_VARIABLES =
  /^(?:npm_.*|.*_proxy|node_extra_ca_certs|ssl_cert_.*|path|home|user|logname|shell|lang|lc_.*|tz|te?mp|tmpdir|xdg_.*|userprofile|(?:local)?appdata|systemroot|comspec)$/i

/** Omits the daemon's other variables, because package scripts can read them. */
function environment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(from).filter(([name]) => PASSED_VARIABLES.test(name))
  const env = Object.fromEntries(entries)
  return { ...env, PATH: [dirname(process.execPath), env.PATH ?? ''].join(delimiter) }
}

function tooSlow(): HostingError {
  return new HostingError('TIMEOUT', `npm did not finish within ${TIMEOUT_MS / 60_000} minutes.`, {
    details: 'Check the connection to the npm registry, then try again.',
  })
}

function interruptedInstall(): HostingError {
  return new HostingError('INTERRUPTED', 'npm was stopped before it finished.')
}

function notStarted(error: NodeJS.ErrnoException): HostingError {
  const missing = error.code === 'ENOENT'
  return new HostingError('UNAVAILABLE', `npm cannot be started${missing ? ': it is not in PATH' : ''}.`, {
    details: missing
      ? 'npm installs the dependencies of the project. Restart the daemon with npm in its PATH.'
      : error.message,
    cause: error,
  })
}

/** Removes npm's prefix from each line, its warnings and the path of its log. */
function toReadable(output: string): string {
  const lines = output.split('\n').map(line => line.replace(/^npm (?:error|ERR!) ?/, '').trimEnd())
  return lines.filter(line => line && !/complete log of this run|^npm warn/.test(line)).join('\n')
}
