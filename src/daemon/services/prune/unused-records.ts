import type { UnusedItem } from '../../../shared/contract/daemon/prune.ts'
import type { Build } from '../../store/tables/builds.ts'
import { sizeOf } from '../backups/file-size.ts'
import type { ServiceDependencies } from '../dependencies.ts'

type Dependencies = Pick<ServiceDependencies, 'archives' | 'artifacts' | 'logs' | 'programSources' | 'store'>

/** Deployments that failed before they served and were followed by another one. */
export async function unusedDeployments({
  store,
  logs,
}: Pick<Dependencies, 'logs' | 'store'>): Promise<UnusedItem[]> {
  const tries = store.deployments.listSupersededFailures()
  return Promise.all(
    tries.map(async ({ id, name, createdAt }) => {
      const bytes = await sizeOf([logs.folder(id)])
      return { kind: 'deployment' as const, id, name, reason: 'failed' as const, bytes, createdAt }
    }),
  )
}

/** Builds that failed, and ready builds that nothing needs. */
export function findUnusedBuilds(
  { store }: Pick<Dependencies, 'store'>,
  isTested: (id: string) => boolean,
): Build[] {
  const targets = rollbackTargets({ store })
  return store.builds.listUnused().filter(({ id }) => !targets.has(id) && !isTested(id))
}

export async function describeBuilds(deps: Dependencies, builds: readonly Build[]): Promise<UnusedItem[]> {
  const freed = freedFiles(deps, builds)
  return Promise.all(
    builds.map(async ({ id, name, status, createdAt }) => {
      const reason = status === 'failed' ? ('failed' as const) : ('unused' as const)
      const bytes = await sizeOf([...(freed.get(id) ?? []), deps.logs.folder(id)])
      return { kind: 'build' as const, id, name, reason, bytes, createdAt }
    }),
  )
}

/** Builds that `mcp rollback` returns to. In development, no deployment uses them, because replaced deployments are removed. */
function rollbackTargets({ store }: Pick<Dependencies, 'store'>): Set<string> {
  const targets = store.deployments.listPlaces().flatMap(({ name, environment }) => {
    const current =
      store.deployments.findLive(name, environment) ?? store.deployments.listByServer(name, environment)[0]
    const release = current && store.releases.find(current.id)
    return (release && store.releases.findEarlierServed(release)?.mcpId) ?? []
  })
  return new Set(targets)
}

/** Paths of files that no other build needs, by build. A file shared by several of the builds is listed under the first. */
function freedFiles(
  { store, artifacts, archives, programSources }: Dependencies,
  builds: readonly Build[],
): Map<string, string[]> {
  const { artifacts: freedArtifacts, sources } = store.builds.digestsUsedOnlyBy(builds.map(({ id }) => id))
  const [left, leftSources] = [new Set(freedArtifacts), new Set(sources)]
  return new Map(
    builds.map(({ id, digest, sourceDigest }) => [
      id,
      [
        ...(digest !== null && left.delete(digest) ? artifacts.files(digest) : []),
        ...(sourceDigest !== null && leftSources.delete(sourceDigest)
          ? [...archives.files(sourceDigest), programSources.folder(sourceDigest)]
          : []),
      ],
    ]),
  )
}
