import { type ErrorCode, HostingError } from '../../shared/errors.ts'
import { isPortFree, portHeldMessage } from '../gateway/ports.ts'
import type { Deployment } from '../store/deployments.ts'
import type { Deployments } from './deployments.ts'
import type { Previews } from './previews.ts'
import type { Rooms } from './rooms.ts'

const LOOKED_FOR_EVERY_MS = 2000

const REPLACED = {
  code: 'CONFLICT',
  message:
    "The port of this server's address was held by another program, and a later deployment took its place.",
}

export interface HeldPorts {
  rooms: Rooms
  deployments: Deployments
  previews: Previews
}

/** Brings back what is not served because another program took its port meanwhile, as soon as the port is free again. */
export function watchHeldPorts({ rooms, deployments, previews }: HeldPorts): void {
  const look = () => {
    if (rooms.background.closing) return
    for (const deployment of rooms.store.deployments.inConflict())
      rooms.background.run(() => bringBack(rooms, deployments, deployment))
    previews.reopenHeld()
  }
  const timer = setInterval(() => rooms.background.attempt(look), LOOKED_FOR_EVERY_MS).unref()
  rooms.closing.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/** With a deployment that is removed goes what it had replaced: that does not come back in its stead. */
export function leaveReplaced({ store }: Pick<Rooms, 'store'>, removed: Deployment): void {
  const { name, environment, updatedAt } = removed
  for (const older of store.deployments.inConflict())
    if (older.name === name && older.environment === environment && older.updatedAt < updatedAt)
      store.deployments.update({ ...older, error: REPLACED })
}

async function bringBack(rooms: Rooms, deployments: Deployments, deployment: Deployment): Promise<void> {
  const { id, name, environment, error } = deployment
  const address = rooms.addresses.find(name, environment)
  if (!address || error?.message !== portHeldMessage(address.port)) return
  if (!(await isPortFree(address.port)) || rooms.background.closing) return
  try {
    deployments.start(id)
  } catch (refused) {
    // Somebody was faster, or it is gone.
    if (!isOneOf(refused, 'CONFLICT', 'NOT_FOUND')) throw refused
  }
}

function isOneOf(error: unknown, ...codes: ErrorCode[]): boolean {
  return error instanceof HostingError && codes.includes(error.code)
}
