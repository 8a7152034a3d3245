import { createId } from '../../../shared/ids.ts'
import type { StoredSource } from '../../builder/archive/source-archives.ts'
import type { Source } from '../../store/tables/sources.ts'
import type { ServiceDependencies } from '../dependencies.ts'

export type SourceDependencies = Pick<
  ServiceDependencies,
  'store' | 'archives' | 'programSources' | 'background'
>

/** Records that a project has this archive. */
export function recordSource(
  { store, clock }: Pick<ServiceDependencies, 'store' | 'clock'>,
  projectId: string,
  { digest, format, sizeBytes }: StoredSource,
): Source {
  const now = clock.now()
  const id = createId('src')
  return store.sources.put({ id, projectId, digest, format, sizeBytes, createdAt: now, usedAt: now })
}

/** Removes the sources of a deleted project, except those of running and ready builds. */
export async function removeProjectSources(deps: SourceDependencies, projectId: string): Promise<void> {
  for (const source of deps.store.sources.listByProject(projectId)) await removeSource(deps, source)
}

/** Removes an archive unless a project or build needs it. */
export async function removeUnusedArchive(
  { store, archives, programSources, background }: SourceDependencies,
  digest: string,
): Promise<void> {
  // An archive that could not be removed becomes an unknown file and is removed later.
  await archives.removeUnless(() => store.sources.isDigestUsed(digest), digest).catch(background.report)
  if (!store.sources.hasBuilds(digest)) programSources.remove(digest)
}

/** Removes an artifact unless a build needs it. */
export async function removeUnusedArtifact(
  { store, artifacts, background }: Pick<ServiceDependencies, 'store' | 'artifacts' | 'background'>,
  digest: string,
): Promise<void> {
  await artifacts.removeUnless(() => store.builds.isDigestUsed(digest), digest).catch(background.report)
}

/** Removes a source unless a running or ready build came from it. */
export async function removeSource(deps: SourceDependencies, source: Source): Promise<void> {
  if (deps.store.sources.hasBuilds(source.digest)) return
  deps.store.sources.remove(source.id)
  await removeUnusedArchive(deps, source.digest)
}
