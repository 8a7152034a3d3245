import type { Deployment } from '../store/deployments.ts'
import type { Rooms } from './rooms.ts'

/**
 * After a deployment left its place: the address closes, unless another one serves there or is about to. What is being
 * started takes the connections that come meanwhile, and they wait for it.
 */
export async function vacatePlace(
  { store, addresses, supervisor }: Rooms,
  { name, environment }: Deployment,
): Promise<void> {
  const active = store.deployments.active(name, environment)
  if (active.some(({ status }) => status === 'deployed')) return
  const starting = active.find(({ id }) => supervisor.has(id))
  if (starting) return addresses.point(name, environment, starting.id)
  await addresses.close(name, environment, () => store.deployments.active(name, environment).length > 0)
}
