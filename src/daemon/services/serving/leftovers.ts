import type { UnknownEntry } from '../backups/unknown-files.ts'
import { removeServerWithoutBuilds } from '../builds/builds.ts'
import { removeUnusedArchive, removeUnusedArtifact } from '../builds/source-retention.ts'
import type { ServiceDependencies } from '../dependencies.ts'

export type CleanupDependencies = Pick<
  ServiceDependencies,
  | 'archives'
  | 'artifacts'
  | 'background'
  | 'logs'
  | 'packages'
  | 'programSources'
  | 'programs'
  | 'signIns'
  | 'store'
  | 'toolchain'
  | 'unknownFiles'
>

/**
 * Removes leftovers of crashes that have no record. Addresses are removed immediately, but files only after they have been
 * unknown for seven days (`UnknownFiles`). Records are always removed before their files. This runs while requests are served, so
 * it ignores files that are being written (daemon/upgrade/unfinished.ts). Most kinds are checked with one query, because there
 * may be thousands of servers.
 */
export async function removeLeftovers(deps: CleanupDependencies): Promise<void> {
  const { store, artifacts, toolchain } = deps
  for (const name of store.servers.namesWithoutBuilds())
    removeServerWithoutBuilds(deps, name, { keepFiles: true })
  for (const unknown of await deps.unknownFiles.update(await findUnknown(deps))) await remove(deps, unknown)
  toolchain.cache.prune(digest => artifacts.has(digest))
  await toolchain.dependencies.prune(Date.now())
}

/** Finds files of the home without a record in the database. */
async function findUnknown(deps: CleanupDependencies): Promise<UnknownEntry[]> {
  const { store, artifacts, archives, programSources, programs, packages, logs } = deps
  const as = (kind: UnknownEntry['kind'], names: readonly string[], pathsOf: (name: string) => string[]) =>
    names.map(name => ({ kind, name, paths: pathsOf(name) }))
  return [
    ...as('artifacts', store.builds.unusedDigests(artifacts.list()), digest => artifacts.files(digest)),
    ...as('sources', store.sources.unusedDigests(archives.list()), digest => archives.files(digest)),
    ...as('program-sources', store.sources.unbuiltDigests(programSources.list()), digest => [
      programSources.folder(digest),
    ]),
    ...as(
      'programs',
      programs.servers().filter(name => !store.builds.hasAny(name)),
      name => [programs.folderOf(name)],
    ),
    ...as('packages', await packages.unused(Date.now()), name => [packages.path(name)]),
    ...as('logs', store.unknownIds(await logs.ids()), id => [logs.folder(id)]),
  ]
}

/** Removes an unknown file unless it now has a record. */
async function remove(
  deps: CleanupDependencies,
  { kind, name }: Pick<UnknownEntry, 'kind' | 'name'>,
): Promise<void> {
  const { store, programs, programSources, packages, logs } = deps
  if (kind === 'artifacts') await removeUnusedArtifact(deps, name)
  else if (kind === 'sources') await removeUnusedArchive(deps, name)
  else if (kind === 'program-sources') {
    if (!store.sources.hasBuilds(name)) programSources.remove(name)
  } else if (kind === 'programs') {
    if (!store.builds.hasAny(name)) programs.removeServer(name)
  } else if (kind === 'packages') await packages.remove(name)
  else if (store.unknownIds([name]).length > 0) await logs.remove(name)
}

/** Files without a record that have been unknown for seven days. The daily cleanup also removes them. */
export async function expiredFiles(deps: CleanupDependencies) {
  return deps.unknownFiles.expired(await findUnknown(deps))
}

/** `id`: `<kind>/<name>`. */
export async function removeUnknownFile(deps: CleanupDependencies, id: string): Promise<void> {
  const slash = id.indexOf('/')
  await remove(deps, { kind: id.slice(0, slash) as UnknownEntry['kind'], name: id.slice(slash + 1) })
}
