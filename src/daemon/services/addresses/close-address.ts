import type { Deployment } from '../../store/tables/deployments.ts'
import type { ServiceDependencies } from '../dependencies.ts'

/**
 * Closes the address of a deployment that no longer serves, unless another deployment serves there. If one is starting,
 * connections go to it and wait.
 */
export async function closeUnusedAddress(
  { store, addresses, supervisor }: Pick<ServiceDependencies, 'addresses' | 'store' | 'supervisor'>,
  { name, environment }: Deployment,
): Promise<void> {
  const active = store.deployments.listActive(name, environment)
  if (active.some(({ status }) => status === 'deployed')) return
  const starting = active.find(({ id }) => supervisor.has(id))
  if (starting) return addresses.point(name, environment, starting.id)
  await addresses.close(name, environment, () => store.deployments.listActive(name, environment).length > 0)
}
