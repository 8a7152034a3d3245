import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { HostingError } from '../shared/errors.ts'
import type { Estate, HandOver } from './hand-over.ts'
import type { EstateText, FromHeir, ToHeir } from './heir-messages.ts'

const LOAD_MS = 20_000
const SERVE_MS = 60_000
/** Of the heir's descriptors: standard input, output and error, and the channel to this process come first. */
const FIRST_SOCKET = 4

export interface UpgradeOptions {
  /** The daemon program of the version that takes over. */
  program: string
  /** Variables of its own. */
  settings: Record<string, string>
  home: string
  handOver: HandOver
  /** Frees the home for it; gives what locks it anew. */
  unlock(): () => Promise<void>
}

/**
 * Starts another daemon, which inherits every listening socket, and lets it take the home over while this one's servers
 * answer on. Resolves with its process when it serves; nothing may be written here from then on. Rejects when it does not come to that, and
 * all is as before. Whichever process dies on the way, the other one goes on: the heir takes over when the channel closes.
 */
export async function upgrade({
  program,
  settings,
  home,
  handOver,
  unlock,
}: UpgradeOptions): Promise<ChildProcess> {
  checkProgram(program)
  const heir = startHeir(program, { settings, home, estate: handOver.estate() })
  try {
    await told(heir, 'loaded', LOAD_MS)
  } catch (error) {
    heir.kill('SIGKILL')
    throw error
  }
  await handOver.begin()
  const lock = unlock()
  try {
    tell(heir, { type: 'go' })
    await told(heir, 'serving', SERVE_MS)
  } catch (error) {
    heir.kill('SIGKILL')
    await lock()
    await handOver.takeBack()
    throw error
  }
  return heir
}

/** A daemon of this product: who may ask for an upgrade must not thereby run just any program. */
export function checkProgram(program: string): void {
  const isOurs =
    isAbsolute(program) &&
    basename(program) === 'daemon.js' &&
    existsSync(program) &&
    readPackage(program).name
  if (isOurs === 'mcp-hosting') return
  throw new HostingError('INVALID_REQUEST', `"${program}" is not the daemon of an installed mcp-hosting.`)
}

/** Undefined when its package does not say. */
export function versionOf(program: string): unknown {
  return readPackage(program).version
}

function readPackage(program: string): { name?: unknown; version?: unknown } {
  try {
    return JSON.parse(readFileSync(join(dirname(dirname(program)), 'package.json'), 'utf8'))
  } catch {
    return {}
  }
}

interface HeirOptions {
  settings: Record<string, string>
  home: string
  estate: Estate
}

function startHeir(program: string, { settings, home, estate }: HeirOptions): ChildProcess {
  const { apiPort, namedPorts } = estate
  const sockets = [...estate.sockets.keys()].map((port, at): [number, number] => [port, FIRST_SOCKET + at])
  const input = openText(home, JSON.stringify({ apiPort, namedPorts, sockets } satisfies EstateText))
  try {
    return spawn(process.execPath, [program, '--take-over'], {
      cwd: '/',
      detached: true,
      env: { ...process.env, ...settings },
      stdio: [input, 'inherit', 'inherit', 'ipc', ...estate.sockets.values()],
    })
  } finally {
    closeSync(input)
  }
}

/** A descriptor to read the text from, of a file without a name: a message would be lost with whoever sent it. */
function openText(folder: string, text: string): number {
  const path = join(folder, `estate-${process.pid}.tmp`)
  try {
    writeFileSync(path, text, { mode: 0o600 })
    return openSync(path, 'r')
  } finally {
    rmSync(path, { force: true })
  }
}

function tell(heir: ChildProcess, message: ToHeir): void {
  heir.send(message, () => {}) // its end is noticed by whoever waits for its answer
}

function told(heir: ChildProcess, type: FromHeir['type'], limitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(failed(`did not get ready within ${limitMs / 1000} s`)), limitMs)
  const onMessage = (message: FromHeir) => {
    if (message.type === type) resolve()
    else if (message.type === 'failed') reject(failed(`could not start: ${JSON.stringify(message.error)}`))
  }
  const onExit = (code: number | null, signal: NodeJS.Signals | null) =>
    reject(failed(`ended with ${signal ?? `exit code ${code}`}`))
  const onError = (error: Error) => reject(failed(error.message))
  heir.on('message', onMessage).once('exit', onExit).once('error', onError)
  return promise.finally(() => {
    clearTimeout(timer)
    heir.off('message', onMessage).off('exit', onExit).off('error', onError)
  })
}

function failed(why: string): HostingError {
  return new HostingError('UNAVAILABLE', `The new daemon ${why}; the old one goes on.`)
}
