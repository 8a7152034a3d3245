import { forgetServer } from './builds.ts'
import type { Rooms } from './rooms.ts'
import { dropUnusedArchives, dropUnusedArtifact } from './source-retention.ts'

/**
 * Removes what a crash left of something whose record is gone: files of artifacts and logs, and addresses of servers.
 * Records go before their files, so nothing that is still known is ever touched. It runs while requests are served, so a
 * file that is being written is none of its business (daemon/unfinished.ts). The database is asked for all of a kind at once:
 * thousands of servers wait for their first call at the same time.
 */
export async function removeLeftovers(rooms: Rooms): Promise<void> {
  const { store, artifacts, toolchain, logs, programs } = rooms
  for (const name of store.servers.withoutBuilds()) forgetServer(rooms, name)
  for (const name of programs.servers()) if (!store.builds.hasAny(name)) programs.removeOf(name)
  await rooms.packages.prune(Date.now())
  for (const digest of store.builds.unusedDigests(artifacts.list())) await dropUnusedArtifact(rooms, digest)
  await dropUnusedArchives(rooms)
  toolchain.memory.prune(digest => artifacts.has(digest))
  await toolchain.dependencies.prune(Date.now())
  for (const id of store.unknownOf(await logs.ids())) await logs.remove(id)
}
