import type { Failure } from '../../shared/contract/fields.ts'
import { type ErrorCode, HostingError, type NextStep } from '../../shared/errors.ts'
import type { Output } from '../output/output.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'

/**
 * Reports a record whose status is `failed`. The command itself ran, so the exit code is 1, regardless of the
 * record's error code.
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
