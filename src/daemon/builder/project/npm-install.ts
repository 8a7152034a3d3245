import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { HostingError } from '../../../shared/errors.ts'

const TIMEOUT_MS = 5 * 60_000
const MAX_OUTPUT = 20_000

/** No script of any package runs: what is installed is only ever bundled. */
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
  // npm's own default waits 10 s and then 60 s before it says that the registry is out of reach.
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=200',
  '--fetch-retry-maxtimeout=2000',
  '--fetch-retry-factor=2',
]

/** npm's and Node's words for a registry that cannot be reached. */
const OUT_OF_REACH =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT/

/** One of npm's lines on a lock file that does not fit; its whole usage follows them. */
const DISAGREEMENT = /^(?:Invalid|Missing): .*$/m

/** Installs the lock file of a folder there. Throws as `runNpm` does. */
export function npmInstall(directory: string, closing: AbortSignal): Promise<void> {
  return runNpm(directory, ARGUMENTS, closing)
}

/**
 * Runs npm in a folder until it ends, takes too long or `closing` aborts. `what` it is to install, for errors. Throws UPSTREAM_FAILED or INVALID_MCP with npm's
 * own words in `details`, TIMEOUT, INTERRUPTED.
 */
export async function runNpm(
  directory: string,
  args: readonly string[],
  closing: AbortSignal,
  what = 'the dependencies of package-lock.json',
): Promise<void> {
  const { code, output } = await run(directory, args, closing)
  if (code === 0) return
  const details = readable(output)
  if (output.includes('EUSAGE') && DISAGREEMENT.test(details)) throw outOfStep(details)
  const reason = OUT_OF_REACH.exec(output)?.[0]
  if (reason)
    throw new HostingError('UPSTREAM_FAILED', `The npm registry cannot be reached (${reason}).`, {
      details: `${details}\nA lock file that was installed here once needs no registry; a new one does.`,
    })
  throw new HostingError('INVALID_MCP', `npm cannot install ${what}.`, { details })
}

function outOfStep(details: string): HostingError {
  const command = 'npm install --package-lock-only'
  return new HostingError('INVALID_MCP', 'package-lock.json does not fit package.json.', {
    details: [
      ...details.split('\n').filter(line => DISAGREEMENT.test(line)),
      `Write it anew, then build again: ${command}`,
    ].join('\n'),
    next: [{ description: 'Write the lock file anew', command }],
  })
}

async function run(
  directory: string,
  args: readonly string[],
  closing: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  if (closing.aborted) throw interrupted()
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
      if (signal.aborted) reject(closing.aborted ? interrupted() : tooSlow())
      else if (code === NOT_FOUND) reject(notStarted({ code: 'ENOENT' } as NodeJS.ErrnoException))
      else resolve({ code, output })
    })
  })
}

/** What a shell ends with when there is no such program. */
const NOT_FOUND = 127

/** npm must not outlive the daemon, however that ends: the end of a pipe that nobody writes to is told by the kernel. */
const GUARDED = `
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
  // A group of its own, so that what scripts started ends with it.
  return spawn('/bin/sh', ['-c', GUARDED, 'npm-guard', ...args], { ...options, detached: true })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it ended just now
  }
}

/** What npm needs: its own settings, such as a registry, the proxy, the machine's certificates and the user's folders. */
const PASSED =
  /^(?:npm_.*|.*_proxy|node_extra_ca_certs|ssl_cert_.*|path|home|user|logname|shell|lang|lc_.*|tz|te?mp|tmpdir|xdg_.*|userprofile|(?:local)?appdata|systemroot|comspec)$/i

/** Nothing else of the daemon's: scripts of packages may read it. */
function environment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(from).filter(([name]) => PASSED.test(name))
  const env = Object.fromEntries(entries)
  return { ...env, PATH: [dirname(process.execPath), env.PATH ?? ''].join(delimiter) }
}

function tooSlow(): HostingError {
  return new HostingError('TIMEOUT', `npm did not end within ${TIMEOUT_MS / 60_000} minutes.`)
}

function interrupted(): HostingError {
  return new HostingError('INTERRUPTED', 'The daemon was stopped before npm had ended.')
}

function notStarted(error: NodeJS.ErrnoException): HostingError {
  const missing = error.code === 'ENOENT'
  return new HostingError('UNAVAILABLE', `npm cannot be started${missing ? ': it is not in PATH' : ''}.`, {
    details: missing
      ? 'The project has dependencies, and npm, which comes with Node, installs them. Restart the daemon with npm in its PATH.'
      : error.message,
    cause: error,
  })
}

/** Without the prefix of each line and where npm's own log lies. */
function readable(output: string): string {
  const lines = output.split('\n').map(line => line.replace(/^npm (?:error|ERR!) ?/, '').trimEnd())
  return lines.filter(line => line && !/complete log of this run|^npm warn/.test(line)).join('\n')
}
