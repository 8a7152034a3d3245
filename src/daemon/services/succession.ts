import type { ChangedList } from '../../shared/instance-protocol.ts'
import type { Leaving } from '../runtime/instance-set.ts'
import type { Deployment } from '../store/deployments.ts'
import { getBuild } from './builds.ts'
import { sessionSeconds } from './environments.ts'
import type { Rooms } from './rooms.ts'
import { changedLists } from './surfaces.ts'

/** However busy it is, after a day a session goes on at the release of then. */
const SESSIONS_MS = 24 * 3_600_000

const BEGIN_MS = 3000

/** Beside the start of a release: one that has to wait for answers of the old one has them by the time that it is ready. */
export function prepareToHandOn(rooms: Rooms, released: Deployment): void {
  const old = whoseSessionsStay(rooms, released)
  if (old) rooms.supervisor.prepareToHandOn(old.id)
}

/** Before the switch, so that no request of a session of the old release meets an instance that does not know where it is. */
export async function handSessionsOn(rooms: Rooms, released: Deployment): Promise<void> {
  const old = whoseSessionsStay(rooms, released)
  if (old) await rooms.supervisor.handSessionsOn(old.id, released.id)
}

function whoseSessionsStay({ store }: Rooms, released: Deployment): Deployment | undefined {
  const old = store.deployments.findLive(released.name, released.environment)
  return old && sessionSeconds(released) > 0 && !locksOut(released, old) ? old : undefined
}

/**
 * After the switch: nothing new comes to the old release. `begun`: no request that is sent from now on is answered by it,
 * but those of its sessions.
 */
export function leave(
  rooms: Rooms,
  released: Deployment,
  old: Deployment,
): { begun: Promise<unknown>; ended: Promise<void> } {
  const { supervisor } = rooms
  if (locksOut(released, old)) {
    const ended = supervisor.remove(old.id)
    return { begun: ended, ended }
  }
  const seconds = sessionSeconds(released)
  const changed = listsToTellOf(rooms, released, old)
  const order = { changed, ...(seconds > 0 && { sessionIdleMs: seconds * 1000 }) }
  const begun: Promise<void>[] = []
  const onward: Leaving['onward'] = (socket, named) => supervisor.connect(released.id, socket, named)
  const sessionsMs = seconds > 0 ? SESSIONS_MS : 0
  const ended = supervisor.drain(old.id, { order, sessionsMs, begun, onward })
  // One that runs without end hears nothing; the release is not to wait for it.
  const late = new Promise(resolve => setTimeout(resolve, BEGIN_MS).unref())
  return { begun: Promise.race([Promise.all(begun), late]), ended }
}

/** An old artifact that cannot be read any more must not keep its release running. */
function listsToTellOf(rooms: Rooms, released: Deployment, old: Deployment): ChangedList[] {
  try {
    return changedLists(rooms, old.mcpId, getBuild(rooms, released.mcpId))
  } catch (error) {
    rooms.background.report(error)
    return []
  }
}

/** Open connections of the old one would go on without the sign-in that is asked for now. */
function locksOut({ config: { auth } }: Deployment, old: Deployment): boolean {
  return auth !== undefined && JSON.stringify(auth) !== JSON.stringify(old.config.auth)
}
