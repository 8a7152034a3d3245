import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { createErrorOutput } from '../../log/error-output.ts'
import { ChildStartError } from './child-start-error.ts'

/** Attempts before the deployment fails. The child slot waits between attempts. */
const MAX_ATTEMPTS = 3

/** Rejects with the last error, after printing the program's output where the daemon looks for failure reasons. */
export async function startWithRetries(tenant: Tenant, start: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await start()
    } catch (error) {
      if (error instanceof ChildStartError && tries < MAX_ATTEMPTS) continue
      if (error instanceof ChildStartError) error.output.forEach(createErrorOutput(tenant))
      throw error
    }
  }
}
