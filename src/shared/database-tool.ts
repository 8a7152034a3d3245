import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { HostingError } from './errors.ts'
import { printedError } from './printed-error.ts'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

interface DatabaseToolOptions {
  /** Path of `database.js`. */
  program: string
  env: NodeJS.ProcessEnv
  signal?: AbortSignal | undefined
  /** Start of the message when the process exits without a result: `Could not run the checks`. */
  failure: string
  onStart?(pid: number): void
}

/**
 * Runs a task of `database.js` (src/daemon/home/database-tool.ts) in a separate process and returns what it prints. Throws the
 * error that it prints, or UNAVAILABLE.
 */
export async function runDatabaseTool<T>(
  args: readonly string[],
  { program, env, signal, failure, onStart }: DatabaseToolOptions,
): Promise<T> {
  const running = promisify(execFile)(process.execPath, [program, ...args], {
    env,
    maxBuffer: MAX_OUTPUT_BYTES,
    ...(signal && { signal }),
  })
  if (running.child.pid !== undefined) onStart?.(running.child.pid)
  try {
    return JSON.parse((await running).stdout)
  } catch (error) {
    throw toolError(error as FailedProcess, failure)
  }
}

interface FailedProcess extends Error {
  stderr?: string
  code?: number | string
  signal?: string
}

function toolError(cause: FailedProcess, failure: string): HostingError {
  const stderr = cause.stderr ?? ''
  const printed = printedError(stderr.split('\n'), cause)
  if (printed) return printed
  const details = /^\w*Error: (.+)$/m.exec(stderr)?.[1]
  return new HostingError('UNAVAILABLE', `${failure}: the process ${describeExit(cause)}.`, {
    details,
    cause,
  })
}

/** `code` is a number only if the process exited by itself. */
function describeExit({ signal, code, message }: FailedProcess): string {
  if (signal) return `was killed by ${signal}`
  return typeof code === 'number' ? `exited with code ${code}` : `failed: ${message}`
}
