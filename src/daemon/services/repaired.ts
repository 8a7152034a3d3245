import { HostingError } from '../../shared/errors.ts'
import type { Deployment } from '../store/deployments.ts'
import { readEnv } from './deployment-secrets.ts'
import type { Deployments } from './deployments.ts'
import type { Rooms } from './rooms.ts'
import { UNDECRYPTABLE } from './secrets.ts'

const MISSING_ARTIFACT = /^The artifact [0-9a-f]{12} (?:is missing|is damaged|has lost its bundle)/

/**
 * After a start: deployments that failed because the key file or their artifact was missing are started again once it is
 * back. What failed for a reason of the server itself stays failed.
 */
export async function retryRepaired({
  rooms,
  deployments,
}: {
  rooms: Rooms
  deployments: Deployments
}): Promise<void> {
  for (const deployment of rooms.store.deployments.lastUnavailable())
    if (isRepaired(rooms, deployment)) start(deployments, deployment)
}

function isRepaired({ secrets, store, artifacts }: Rooms, deployment: Deployment): boolean {
  const message = deployment.error?.message ?? ''
  if (message.startsWith(UNDECRYPTABLE)) return canDecrypt(() => readEnv(secrets, deployment))
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

function start(deployments: Deployments, { id }: Deployment): void {
  try {
    deployments.start(id)
  } catch (refused) {
    // Its place or domain was taken in the meantime, or it was removed.
    if (!(refused instanceof HostingError) || !['CONFLICT', 'NOT_FOUND'].includes(refused.code)) throw refused
  }
}
