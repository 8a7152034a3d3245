import type { Deployment } from '../store/deployments.ts'
import { ENVIRONMENT } from './environments.ts'
import type { Rooms } from './rooms.ts'

/** Forgets the deployments that a new one makes surplus and returns their ids. One that is still deploying is none of them. */
export function removeSuperseded({ store }: Pick<Rooms, 'store'>, live: Deployment): string[] {
  const { name, environment } = live
  // An environment that keeps everything may hold very many.
  const kept = ENVIRONMENT[environment].keptDeployments
  if (kept === null) return []
  const older = store.deployments
    .ofServer(name, environment)
    .filter(({ id, status }) => id !== live.id && (status === 'stopped' || status === 'failed'))
  const surplus = older.slice(kept - 1).map(({ id }) => id)
  store.transaction(() => {
    for (const id of surplus) store.deployments.remove(id)
  })
  return surplus
}
