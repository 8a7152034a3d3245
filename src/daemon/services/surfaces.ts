import type { SurfaceReport } from '../../shared/builds.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ChangedList } from '../../shared/instance-protocol.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/states.ts'
import { compareSurfaces, isBreaking } from '../../shared/surface/compare-surfaces.ts'
import { sameJson } from '../../shared/surface/same-json.ts'
import type { Build } from '../store/builds.ts'
import { getBuild, requireReady } from './builds.ts'
import type { Rooms } from './rooms.ts'
import { loadArtifact } from './served.ts'

/** What a release of a build would change for the clients of what is live. */
export class Surfaces {
  readonly #rooms: Rooms

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  /** Throws NOT_FOUND, CONFLICT for a build that is not ready. */
  report(mcpId: string, environment?: Environment): SurfaceReport {
    const build = requireReady(getBuild(this.#rooms, mcpId))
    const wanted = environment === undefined ? ENVIRONMENTS : [environment]
    return { mcp_id: mcpId, items: wanted.flatMap(each => compareWithLive(this.#rooms, build, each)) }
  }
}

/** Lists that a client would find different in the build that comes after. */
export function changedLists(rooms: Rooms, beforeId: string, after: Build): ChangedList[] {
  const before = rooms.store.builds.find(beforeId)
  if (!before || before.digest === after.digest) return []
  const [old, now] = [loadArtifact(rooms, before), loadArtifact(rooms, after)]
  return (['tools', 'resources', 'prompts'] as const).filter(list => !sameJson(old[list], now[list]))
}

const MAX_TOLD = 50

/** Throws CONFLICT naming what breaks for the clients of the live deployment. */
export function requireCompatible(rooms: Rooms, build: Build, environment: Environment): void {
  for (const { deployment_id, changes } of compareWithLive(rooms, build, environment)) {
    const breaking = changes.filter(isBreaking)
    if (breaking.length === 0) continue
    const count = breaking.length === 1 ? 'a breaking change' : `${breaking.length} breaking changes`
    const told = breaking.slice(0, MAX_TOLD).map(({ path, message }) => `${path} ${message}`)
    throw new HostingError(
      'CONFLICT',
      `Build ${build.id} has ${count} for the clients of ${deployment_id}, which is live in ${environment}.`,
      {
        details: told.join('\n'),
        next: [{ description: 'Deploy it all the same', command: `mcp deploy ${build.id} --allow-breaking` }],
      },
    )
  }
}

function compareWithLive(rooms: Rooms, build: Build, environment: Environment): SurfaceReport['items'] {
  const live = rooms.store.deployments.findLive(build.name, environment)
  if (!live) return []
  const changes =
    live.mcpId === build.id
      ? []
      : compareSurfaces(loadArtifact(rooms, getBuild(rooms, live.mcpId)), loadArtifact(rooms, build))
  return [
    { environment, deployment_id: live.id, against: live.mcpId, breaking: changes.some(isBreaking), changes },
  ]
}
