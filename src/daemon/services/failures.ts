import type { Rooms } from './rooms.ts'
import type { Services } from './services.ts'

/** The runtime gave something up: a deployment becomes `failed`, a preview waits for its next connection. */
export function takeFailure(
  rooms: Rooms,
  { deployments, previews }: Services,
  id: string,
  error: Error,
): void {
  if (rooms.background.closing) return
  const preview = rooms.store.builds.find(id)
  if (preview) rooms.background.run(() => previews.reset(preview))
  else if (rooms.store.deployments.find(id)) rooms.background.run(() => deployments.failed(id, error))
}
