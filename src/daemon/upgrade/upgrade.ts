import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import type { HandOver, InheritedState } from './hand-over.ts'
import type { FromSuccessor, InheritedStateJson, ToSuccessor } from './messages.ts'

const LOAD_MS = 20_000
const SERVE_MS = 60_000
/** First descriptor of a socket in the successor, after standard input, output, error and the IPC channel. */
const FIRST_SOCKET = 4

export interface UpgradeOptions {
  /** Path of the new version's daemon program. */
  program: string
  /** Additional environment variables for the successor. */
  settings: Record<string, string>
  home: string
  handOver: HandOver
  /** Unlocks the home. Returns a function that locks it again. */
  unlock(): () => Promise<void>
}

/**
 * Starts a successor, which inherits every listening socket and takes over the home while this daemon's servers keep answering.
 * Resolves with the successor's process once it serves. This daemon must not write after that. Rejects when the successor fails,
 * and restores the previous state. If one process dies in between, the other continues. The successor also takes over when the
 * IPC channel closes.
 */
export async function upgrade({
  program,
  settings,
  home,
  handOver,
  unlock,
}: UpgradeOptions): Promise<ChildProcess> {
  checkProgram(program)
  const successor = startSuccessor(program, { settings, home, inheritedState: handOver.inheritedState() })
  try {
    await waitForMessage(successor, 'loaded', LOAD_MS)
  } catch (error) {
    successor.kill('SIGKILL')
    throw error
  }
  await handOver.begin()
  const lock = unlock()
  try {
    send(successor, { type: 'go' })
    await waitForMessage(successor, 'serving', SERVE_MS)
  } catch (error) {
    successor.kill('SIGKILL')
    await lock()
    await handOver.takeBack()
    throw error
  }
  return successor
}

/**
 * Throws INVALID_REQUEST unless the program is the `daemon.js` of an mcp-hosting installation. An API key for upgrades must not
 * allow running arbitrary programs.
 */
export function checkProgram(program: string): void {
  const isOurs =
    isAbsolute(program) &&
    basename(program) === 'daemon.js' &&
    existsSync(program) &&
    readPackage(program).name
  if (isOurs === 'mcp-hosting') return
  throw new HostingError(
    'INVALID_REQUEST',
    `"${program}" is not the daemon program of an mcp-hosting installation.`,
  )
}

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

interface SuccessorOptions {
  settings: Record<string, string>
  home: string
  inheritedState: InheritedState
}

function startSuccessor(program: string, { settings, home, inheritedState }: SuccessorOptions): ChildProcess {
  const { apiPort, namedPorts } = inheritedState
  const sockets = [...inheritedState.sockets.keys()].map((port, at): [number, number] => [
    port,
    FIRST_SOCKET + at,
  ])
  const input = openText(home, JSON.stringify({ apiPort, namedPorts, sockets } satisfies InheritedStateJson))
  try {
    return spawn(process.execPath, [program, '--take-over'], {
      cwd: '/',
      detached: true,
      env: { ...process.env, ...settings },
      stdio: [input, 'inherit', 'inherit', 'ipc', ...inheritedState.sockets.values()],
    })
  } finally {
    closeSync(input)
  }
}

/** Opens a file that contains the text and is already deleted. Unlike a message, it survives the process that wrote it. */
function openText(folder: string, text: string): number {
  const path = join(folder, `inherited-state-${process.pid}.tmp`)
  try {
    writeFileSync(path, text, { mode: 0o600 })
    return openSync(path, 'r')
  } finally {
    rmSync(path, { force: true })
  }
}

function send(successor: ChildProcess, message: ToSuccessor): void {
  successor.send(message, () => {}) // waitForMessage notices a dead successor
}

function waitForMessage(
  successor: ChildProcess,
  type: FromSuccessor['type'],
  limitMs: number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(failedUpgrade(`was not ready within ${limitMs / 1000} s`)), limitMs)
  const onMessage = (message: FromSuccessor) => {
    if (message.type === type) resolve()
    else if (message.type === 'failed')
      reject(failedUpgrade(`could not start: ${JSON.stringify(message.error)}`))
  }
  const onExit = (code: number | null, signal: NodeJS.Signals | null) =>
    reject(failedUpgrade(`exited with ${signal ?? `code ${code}`}`))
  const onError = (error: Error) => reject(failedUpgrade(error.message))
  successor.on('message', onMessage).once('exit', onExit).once('error', onError)
  return promise.finally(() => {
    clearTimeout(timer)
    successor.off('message', onMessage).off('exit', onExit).off('error', onError)
  })
}

function failedUpgrade(why: string): HostingError {
  return new HostingError('UNAVAILABLE', `The new daemon ${why}. The old one keeps running.`)
}
