import type { Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ServiceDependencies } from '../dependencies.ts'

/** Throws CONFLICT while the server or environment is being removed. Called in the transaction that adds to the server. */
export function requireNotRemoved(
  { store }: Pick<ServiceDependencies, 'store'>,
  server: string,
  environment: Environment | '' = '',
): void {
  const removal = store.removals.find(server, environment)
  if (!removal) return
  const where = removal.environment && ` in ${removal.environment}`
  const options = `${removal.environment && ` --env ${removal.environment}`}${removal.data ? ' --data' : ''}`
  throw new HostingError('CONFLICT', `Server "${server}" is being removed${where}.`, {
    details: `Wait until it is removed. If the removal failed, repeat it: mcp remove ${server}${options}`,
  })
}
