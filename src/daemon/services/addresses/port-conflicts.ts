import { isPortFree, portHeldPrefix } from '../../gateway/ports.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { Previews } from '../builds/previews.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { Deployments } from '../deployments/deployments.ts'

const CHECK_EVERY_MS = 2000

export interface PortConflicts {
  deps: Pick<ServiceDependencies, 'addresses' | 'background' | 'closing' | 'store'>
  deployments: Deployments
  previews: Previews
}

/** Starts deployments and previews again when another program has released their port. */
export function watchPortConflicts({ deps, deployments, previews }: PortConflicts): void {
  const check = () => {
    if (deps.background.closing) return
    for (const deployment of deps.store.deployments.listInConflict())
      deps.background.run(() => restartIfPortFree(deps, deployments, deployment))
    previews.reopenConflicting()
  }
  const timer = setInterval(() => deps.background.attempt(check), CHECK_EVERY_MS).unref()
  deps.closing.addEventListener('abort', () => clearInterval(timer), { once: true })
}

async function restartIfPortFree(
  deps: Pick<ServiceDependencies, 'addresses' | 'background'>,
  deployments: Deployments,
  deployment: Deployment,
): Promise<void> {
  const { id, name, environment, error } = deployment
  const address = deps.addresses.find(name, environment)
  if (!address || !error?.message.startsWith(portHeldPrefix(address.port))) return
  if (!(await isPortFree(address.port)) || deps.background.closing) return
  deployments.startIfPossible(id)
}
