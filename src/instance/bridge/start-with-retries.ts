import type { Tenant } from '../../shared/instance-protocol.ts'
import { createErrorOutput } from '../log/error-output.ts'
import { ChildStartError } from './child-start-error.ts'

/** Tries before the deployment is given up; a slot pauses between them. */
const TRIES = 3

/** Rejects with the last try's error, after writing what the program said where the daemon looks for reasons. */
export async function startWithRetries(tenant: Tenant, start: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await start()
    } catch (error) {
      if (error instanceof ChildStartError && tries < TRIES) continue
      if (error instanceof ChildStartError) error.output.forEach(createErrorOutput(tenant))
      throw error
    }
  }
}
