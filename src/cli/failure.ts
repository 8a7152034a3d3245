import { type ErrorCode, HostingError, type NextStep } from '../shared/errors.ts'
import type { Failure } from '../shared/fields.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import type { Output } from './output.ts'

/**
 * Tells of a record whose status is `failed`. The command ran and what it asked for failed: the exit code is 1 whatever
 * code the record's error has.
 */
export async function reportFailure(
  output: Output,
  sentence: string,
  failure: Failure | null | undefined,
  next: NextStep[] = [],
): Promise<ExitCode> {
  const { code = 'UPSTREAM_FAILED', message, details } = failure ?? {}
  const text = message ? `${sentence}: ${message}` : `${sentence}.`
  await output.error(new HostingError(code as ErrorCode, text, { details, next }))
  return EXIT.failed
}
