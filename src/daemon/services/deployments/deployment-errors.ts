import type { Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'

/** No release can be repeated without a live deployment. */
export function nothingLive(server: string, environment: Environment): HostingError {
  return new HostingError('CONFLICT', `"${server}" has no live deployment in ${environment} to redeploy.`, {
    details: 'The next deployment there gets the stored variables.',
  })
}

/** Keeps the code of the reason, which is UNAVAILABLE unless it is a HostingError. */
export function notRestarted(id: string, reason: Error): HostingError {
  const known = reason instanceof HostingError ? reason : undefined
  return new HostingError(
    known?.code ?? 'UNAVAILABLE',
    `Deployment ${id} was not restarted and its old instances keep serving: ${reason.message}`,
    {
      details: known?.details,
      next: [{ description: 'Read its log', command: `mcp logs ${id}` }],
      cause: reason,
    },
  )
}
