import type { Failure } from '../../shared/contract/fields.ts'
import { HostingError } from '../../shared/errors.ts'

/** Error with the reason why a build or deployment failed. */
export function failureOf(failure: Pick<Failure, 'message' | 'details'> | null | undefined): HostingError {
  const { message = 'Failed for an unknown reason.', details } = failure ?? {}
  return new HostingError('UNAVAILABLE', message, { details })
}

/** Throws the reason why a build or deployment failed. */
export function requireNoFailure({
  status,
  error,
}: {
  status: string
  error?: Pick<Failure, 'message' | 'details'> | null | undefined
}): void {
  if (status === 'failed') throw failureOf(error)
}
