import type { ChangedList } from '../../../shared/instances/instance-protocol.ts'
import type { DrainOptions } from '../../runtime/pool/drain.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import { getBuild } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { sessionSeconds } from './environments.ts'
import { changedLists } from './surfaces.ts'

/** After this time, sessions move to the current release even if they are busy. */
const MAX_SESSION_MS = 24 * 3_600_000

/** Maximum time that a release waits for the old instances to confirm the drain. */
const CONFIRM_MS = 3000

/** Called before a release starts. The old release prepares its sessions for the transfer while the new one starts. */
export function prepareSessionTransfer(
  deps: Pick<ServiceDependencies, 'store' | 'supervisor'>,
  released: Deployment,
): void {
  const old = findSessionSource(deps, released)
  if (old) deps.supervisor.prepareSessionTransfer(old.id)
}

/** Called before the switch. The new instances then know where the sessions of the old release are. */
export async function transferSessions(
  deps: Pick<ServiceDependencies, 'store' | 'supervisor'>,
  released: Deployment,
): Promise<void> {
  const old = findSessionSource(deps, released)
  if (old) await deps.supervisor.transferSessions(old.id, released.id)
}

function findSessionSource(
  { store }: Pick<ServiceDependencies, 'store'>,
  released: Deployment,
): Deployment | undefined {
  const old = store.deployments.findLive(released.name, released.environment)
  return old && sessionSeconds(released) > 0 && !requiresNewSignIn(released, old) ? old : undefined
}

/**
 * Drains the old release after the switch, or removes it if users must sign in again. `begun` resolves when the old release
 * answers only requests in its sessions, or after CONFIRM_MS.
 */
export function drainPrevious(
  deps: Pick<ServiceDependencies, 'artifacts' | 'background' | 'store' | 'supervisor'>,
  released: Deployment,
  old: Deployment,
): { begun: Promise<unknown>; ended: Promise<void> } {
  const { supervisor } = deps
  if (requiresNewSignIn(released, old)) {
    const ended = supervisor.remove(old.id)
    return { begun: ended, ended }
  }
  const seconds = sessionSeconds(released)
  const changed = findChangedLists(deps, released, old)
  const notice = { changed, ...(seconds > 0 && { sessionIdleMs: seconds * 1000 }) }
  const begun: Promise<void>[] = []
  const forward: DrainOptions['forward'] = (socket, named) => supervisor.connect(released.id, socket, named)
  const maxSessionMs = seconds > 0 ? MAX_SESSION_MS : 0
  const ended = supervisor.drain(old.id, { notice, maxSessionMs, begun, forward })
  // An instance in an endless loop never confirms, and the release must not wait for it.
  const late = new Promise(resolve => setTimeout(resolve, CONFIRM_MS).unref())
  return { begun: Promise.race([Promise.all(begun), late]), ended }
}

/** Reports an unreadable artifact instead of throwing, so that the old release drains anyway. */
function findChangedLists(
  deps: Pick<ServiceDependencies, 'artifacts' | 'background' | 'store'>,
  released: Deployment,
  old: Deployment,
): ChangedList[] {
  try {
    return changedLists(deps, old.mcpId, getBuild(deps, released.mcpId))
  } catch (error) {
    deps.background.report(error)
    return []
  }
}

/** True if the new release requires sign-in with changed settings. Open connections to the old release must then close. */
function requiresNewSignIn({ config: { auth } }: Deployment, old: Deployment): boolean {
  return auth !== undefined && JSON.stringify(auth) !== JSON.stringify(old.config.auth)
}
