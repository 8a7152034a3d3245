import type { DeploymentRecord } from '../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../shared/errors.ts'

/** Throws the reason of a failed release. `message` replaces a missing one. */
export function requireNoFailure(
  { status, error }: Pick<DeploymentRecord, 'status' | 'error'>,
  message: string,
): void {
  if (status !== 'failed') return
  throw new HostingError('UNAVAILABLE', error?.message ?? message, { details: error?.details })
}
