import type { Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ServiceDependencies } from '../dependencies.ts'

/** Throws CONFLICT while the server or environment is being removed. Called in the transaction that adds to the server. */
export function requireNotRemoved(
  { store }: Pick<ServiceDependencies, 'store'>,
  server: string,
  environment: Environment | '' = '',
): void {
  if (!store.removals.includes(server, environment)) return
  throw new HostingError('CONFLICT', `Server "${server}" is being removed.`, {
    details: 'Wait until it is removed. If the removal failed, repeat it.',
    next: [{ description: 'Repeat the removal', command: `mcp remove ${server}` }],
  })
}
