import { forgetServer } from './builds.ts'
import { removeExpiredIdempotencyKeys } from './idempotency-keys.ts'
import type { Rooms } from './rooms.ts'
import { dropUnusedArchive, dropUnusedArtifact } from './source-retention.ts'
import type { Unknown } from './unknown-files.ts'

const LOOK_EVERY_MS = 24 * 3600_000

/** Looks at the start and then daily. */
export function watchLeftovers(rooms: Rooms): void {
  const look = () => {
    rooms.background.attempt(() => removeExpiredIdempotencyKeys(rooms))
    rooms.background.run(() => removeLeftovers(rooms))
  }
  look()
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  rooms.closing.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/**
 * Removes what a crash left of something whose record is gone: addresses of servers at once, files only after the database
 * has not known them for seven days (`UnknownFiles`). Records go before their files, so nothing that is still known is
 * ever touched. It runs while requests are served, so a file that is being written is not considered
 * (daemon/unfinished.ts). The database is asked for all of a kind at once: thousands of servers wait for their first call
 * at the same time.
 */
export async function removeLeftovers(rooms: Rooms): Promise<void> {
  const { store, artifacts, toolchain } = rooms
  for (const name of store.servers.withoutBuilds()) forgetServer(rooms, name, { keepFiles: true })
  for (const unknown of await rooms.unknownFiles.look(await findUnknown(rooms))) await remove(rooms, unknown)
  toolchain.memory.prune(digest => artifacts.has(digest))
  await toolchain.dependencies.prune(Date.now())
}

/** Everything in the home that the database does not know. */
async function findUnknown(rooms: Rooms): Promise<Unknown[]> {
  const { store, artifacts, archives, programSources, programs, packages, logs } = rooms
  const as = (kind: Unknown['kind'], names: readonly string[], pathsOf: (name: string) => string[]) =>
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
    ...as('logs', store.unknownOf(await logs.ids()), id => [logs.folder(id)]),
  ]
}

/** Unless something uses it by now. */
async function remove(rooms: Rooms, { kind, name }: Unknown): Promise<void> {
  const { store, programs, programSources, packages, logs } = rooms
  if (kind === 'artifacts') await dropUnusedArtifact(rooms, name)
  else if (kind === 'sources') await dropUnusedArchive(rooms, name)
  else if (kind === 'program-sources') {
    if (!store.sources.hasBuilds(name)) programSources.remove(name)
  } else if (kind === 'programs') {
    if (!store.builds.hasAny(name)) programs.removeOf(name)
  } else if (kind === 'packages') await packages.remove(name)
  else if (store.unknownOf([name]).length > 0) await logs.remove(name)
}
