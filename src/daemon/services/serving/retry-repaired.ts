import type { Deployment } from '../../store/tables/deployments.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { readEnv, UNDECRYPTABLE_PREFIX } from '../deployments/deployment-secrets.ts'
import type { Deployments } from '../deployments/deployments.ts'

const MISSING_ARTIFACT = /^The artifact [0-9a-f]{12} (?:is missing|is damaged|has lost its bundle)/

/**
 * Starts deployments that failed without their key file or artifact, if the file is back. Called when the daemon starts.
 * Deployments that failed for another reason stay failed.
 */
export async function retryRepaired({
  deps,
  deployments,
}: {
  deps: Pick<ServiceDependencies, 'artifacts' | 'secrets' | 'store'>
  deployments: Deployments
}): Promise<void> {
  for (const deployment of deps.store.deployments.listLastUnavailable())
    if (isRepaired(deps, deployment)) deployments.startIfPossible(deployment.id)
}

function isRepaired(
  { secrets, store, artifacts }: Pick<ServiceDependencies, 'artifacts' | 'secrets' | 'store'>,
  deployment: Deployment,
): boolean {
  const message = deployment.error?.message ?? ''
  if (message.startsWith(UNDECRYPTABLE_PREFIX)) return canDecrypt(() => readEnv(secrets, deployment))
  const digest = store.builds.find(deployment.mcpId)?.digest
  return MISSING_ARTIFACT.test(message) && Boolean(digest && artifacts.has(digest))
}

function canDecrypt(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
