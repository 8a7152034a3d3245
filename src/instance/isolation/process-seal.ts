import os from 'node:os'
import { Readable } from 'node:stream'
import v8 from 'node:v8'
import type { TenantLog } from '../log/tenant-log.ts'
import { describeStack } from '../module/handler-errors.ts'
import { deny, denyAll, denyCall, replace } from './denied.ts'
import { apply, bare } from './intrinsics.ts'
import type { UserOutput } from './user-output.ts'

interface SealOptions {
  /** Environment after the seal. */
  env: Record<string, string>
  output: UserOutput
  log: TenantLog
}

/** Functions that reach other processes, change the process's identity, or open files without a permission check. */
const PROCESS_FUNCTIONS = [
  '_debugProcess',
  '_debugEnd',
  '_startProfilerIdleNotifier',
  '_stopProfilerIdleNotifier',
  'binding',
  '_linkedBinding',
  'dlopen',
  'execve',
  'chdir',
  'initgroups',
  'setgroups',
  'setegid',
  'seteuid',
  'setgid',
  'setuid',
  'loadEnvFile',
]

/** Limits the parts of the process that handler modules can see and change. */
export function sealProcess({ env, output, log }: SealOptions): void {
  const end = createEnd(output, log)
  sealKill()
  denyAll(process, PROCESS_FUNCTIONS, 'process')
  denyAll(os, ['setPriority'], 'os')
  denyAll(v8, ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit', 'writeHeapSnapshot'], 'v8')
  deny(v8, ['setHeapProfileNearHeapLimit'], 'v8') // Node 26
  replace(process, '_getActiveHandles', () => [])
  replace(process, '_getActiveRequests', () => [])
  replace(process, 'report', undefined)
  // The server's variables only. The process's own environment and arguments stay hidden.
  replace(process, 'env', { ...env })
  replace(process, 'argv', ['node', 'server'])
  replace(process, 'execArgv', [])
  replaceStreams(output)
  // The original writes to descriptor 2 directly. Node prints warnings with it.
  replace(process, '_rawDebug', (...args: unknown[]) => console.error(...args))
  for (const name of ['exit', 'reallyExit'] as const)
    replace(process, name, (code?: number | string | null) => {
      const status = toNumber(code ?? process.exitCode ?? 0)
      end(`process.${name}(${status}) was called${describeCaller()}`, status)
    })
  replace(process, 'abort', () => end(`process.abort() was called${describeCaller()}`, 134))
  process.on('uncaughtException', (error, origin) => {
    const what = origin === 'unhandledRejection' ? 'Unhandled rejection' : 'Uncaught exception'
    end(`${what}: ${describe(error)}`, 1)
  })
}

const toNumber = Number
const isInteger = Number.isInteger

/** Terminates the process immediately, with the reason in its log. */
function createEnd(output: UserOutput, log: TenantLog): (reason: string, code: number) => void {
  const { reallyExit } = process as unknown as { reallyExit(code: number): never }
  return (reason, code) => {
    try {
      output.finish()
      log.server('error', reason)
      log.flushNow()
    } finally {
      // Works even if user code removed functions that log lines need.
      apply(reallyExit, process, [isInteger(code) ? code : 1])
    }
  }
}

/** Limits `process.kill` to this process, which may signal itself and check that it is running. */
function sealKill(): void {
  const { _kill: kill } = process as unknown as { _kill(pid: number, signal: number): number }
  const { pid: own } = process
  const signals = bare({ ...os.constants.signals }) as Record<string, number>
  const refuse = denyCall('process.kill on another process')
  const unknown = denyCall('process.kill with an unknown signal')
  denyAll(process, ['_kill'], 'process')
  replace(process, 'kill', (pid: unknown, signal: unknown = 'SIGTERM') => {
    if (pid !== own) return refuse()
    const number = typeof signal === 'string' ? signals[signal] : signal
    if (typeof number !== 'number' || apply(kill, process, [own, number]) !== 0) return unknown()
    return true
  })
}

function replaceStreams({ stdout, stderr }: UserOutput): void {
  replace(process, 'stdin', Readable.from([]))
  replace(process, 'stdout', Object.assign(stdout, { fd: 1 }))
  replace(process, 'stderr', Object.assign(stderr, { fd: 2 }))
  replace(process, 'openStdin', () => process.stdin)
  // If anything was printed before, the console still holds the original streams.
  Object.assign(console, { _stdout: stdout, _stderr: stderr })
}

/** Location of the call, for example ` at tools/add.ts:3:9`. Empty when unknown. */
function describeCaller(): string {
  try {
    const [, frame] = describeStack(new Error('for its stack')).split('\n')
    return frame === undefined ? '' : ` ${frame.trim()}`
  } catch {
    return '' // user code changed how stack traces are read
  }
}

function describe(error: unknown): string {
  try {
    return describeStack(error)
  } catch {
    return 'an error that cannot be displayed' // user code threw a value that cannot be read
  }
}
