import type { SurfaceReport } from '../../../shared/contract/builds/builds.ts'
import { ENVIRONMENTS, type Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ChangedList } from '../../../shared/instances/instance-protocol.ts'
import { compareSurfaces } from '../../../shared/surface/compare-surfaces.ts'
import { sameJson } from '../../../shared/surface/same-json.ts'
import { isBreaking } from '../../../shared/surface/surface-change.ts'
import type { Build } from '../../store/tables/builds.ts'
import { getBuild, loadArtifact, requireReady } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'

type Dependencies = Pick<ServiceDependencies, 'artifacts' | 'store'>

/** Compares the client-visible parts of a build with the live deployments. */
export class Surfaces {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws NOT_FOUND, and CONFLICT for a build that is not ready. */
  report(mcpId: string, environment?: Environment): SurfaceReport {
    const build = requireReady(getBuild(this.#deps, mcpId))
    const wanted = environment === undefined ? ENVIRONMENTS : [environment]
    return { mcp_id: mcpId, items: wanted.flatMap(each => compareWithLive(this.#deps, build, each)) }
  }
}

/** Lists that differ between two builds. */
export function changedLists(
  deps: Pick<ServiceDependencies, 'artifacts' | 'store'>,
  beforeId: string,
  after: Build,
): ChangedList[] {
  const before = deps.store.builds.find(beforeId)
  if (!before || before.digest === after.digest) return []
  const [old, now] = [loadArtifact(deps, before), loadArtifact(deps, after)]
  return (['tools', 'resources', 'prompts'] as const).filter(list => !sameJson(old[list], now[list]))
}

const MAX_LISTED = 50

/** Throws CONFLICT naming the breaking changes for clients of the live deployment. */
export function requireCompatible(
  deps: Pick<ServiceDependencies, 'artifacts' | 'store'>,
  build: Build,
  environment: Environment,
): void {
  for (const { deployment_id, changes } of compareWithLive(deps, build, environment)) {
    const breaking = changes.filter(isBreaking)
    if (breaking.length === 0) continue
    const count = breaking.length === 1 ? 'a breaking change' : `${breaking.length} breaking changes`
    const listed = breaking.slice(0, MAX_LISTED).map(({ path, message }) => `${path} ${message}`)
    throw new HostingError(
      'CONFLICT',
      `Build ${build.id} has ${count} for clients of the live deployment ${deployment_id} in ${environment}.`,
      {
        details: listed.join('\n'),
        next: [{ description: 'Deploy it anyway', command: `mcp deploy ${build.id} --allow-breaking` }],
      },
    )
  }
}

/** Empty when nothing is live. Throws NOT_FOUND for a removed build. */
export function compareWithLive(
  deps: Pick<ServiceDependencies, 'artifacts' | 'store'>,
  build: Build,
  environment: Environment,
): SurfaceReport['items'] {
  const live = deps.store.deployments.findLive(build.name, environment)
  if (!live) return []
  const changes =
    live.mcpId === build.id
      ? []
      : compareSurfaces(loadArtifact(deps, getBuild(deps, live.mcpId)), loadArtifact(deps, build))
  return [
    { environment, deployment_id: live.id, against: live.mcpId, breaking: changes.some(isBreaking), changes },
  ]
}
