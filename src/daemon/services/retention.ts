import type { Environment } from '../../shared/states.ts'
import type { Deployment } from '../store/deployments.ts'
import type { Rooms } from './rooms.ts'

/** Deployments of one server that an environment keeps, the live one among them. */
const KEPT: Record<Environment, number> = { production: Number.POSITIVE_INFINITY, staging: 5, development: 1 }

/** Forgets the deployments that a new one makes surplus and returns their ids. One that is still deploying is none of them. */
export function removeSuperseded({ store }: Pick<Rooms, 'store'>, live: Deployment): string[] {
  const { name, environment } = live
  // An environment that keeps everything may hold very many.
  if (KEPT[environment] === Number.POSITIVE_INFINITY) return []
  const older = store.deployments
    .ofServer(name, environment)
    .filter(({ id, status }) => id !== live.id && (status === 'stopped' || status === 'failed'))
  const surplus = older.slice(KEPT[environment] - 1).map(({ id }) => id)
  store.transaction(() => {
    for (const id of surplus) store.deployments.remove(id)
  })
  return surplus
}
