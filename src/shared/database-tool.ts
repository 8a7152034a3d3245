import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type ErrorBody, type ErrorCode, HostingError, type NextStep } from './errors.ts'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

interface DatabaseToolOptions {
  /** Path of `database.js`. */
  program: string
  env: NodeJS.ProcessEnv
  signal?: AbortSignal | undefined
  /** Start of the message when the process ends without a result: `The checks failed`. */
  failure: string
  onStart?(pid: number): void
}

/**
 * Runs a task of `database.js` (src/daemon/home/database-tool.ts) in a separate process and returns what it prints. Throws its
 * error, or UNAVAILABLE.
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

/** The error that the program printed. */
function toolError(cause: FailedProcess, failure: string): HostingError {
  const line = cause.stderr?.split('\n').find(text => text.startsWith('{"error":'))
  if (line === undefined) {
    const end = cause.signal ? `was ended by ${cause.signal}` : `ended with ${cause.code ?? cause.message}`
    const details = /^\w*Error: (.+)$/m.exec(cause.stderr ?? '')?.[1]
    return new HostingError('UNAVAILABLE', `${failure}: its process ${end}.`, { details, cause })
  }
  const { code, message, details, next } = (JSON.parse(line) as { error: ErrorBody & { next?: NextStep[] } })
    .error
  return new HostingError(code as ErrorCode, message, { details, next, cause })
}
