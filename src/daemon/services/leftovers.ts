import { forgetServer } from './builds.ts'
import type { Rooms } from './rooms.ts'
import { dropUnusedArtifact, removeLeftoverSources } from './source-retention.ts'

/**
 * Removes what a crash left of something whose record is gone, or was never finished: files of artifacts and logs, and
 * addresses of servers. Records go before their files, so nothing that is still known is ever touched.
 */
export async function removeLeftovers(rooms: Rooms): Promise<void> {
  const { store, artifacts, toolchain, logs, programs } = rooms
  for (const { name } of store.servers.list()) if (!store.builds.hasAny(name)) forgetServer(rooms, name)
  for (const name of programs.servers()) if (!store.builds.hasAny(name)) programs.removeOf(name)
  await rooms.packages.prune(Date.now())
  const { digests, unfinished } = artifacts.list()
  for (const name of unfinished) artifacts.removeUnfinished(name)
  for (const digest of digests) if (!store.builds.digestInUse(digest)) await dropUnusedArtifact(rooms, digest)
  await removeLeftoverSources(rooms)
  toolchain.memory.prune(digest => artifacts.has(digest))
  await toolchain.dependencies.prune(Date.now())
  for (const id of await logs.ids())
    if (!store.deployments.find(id) && !store.builds.find(id) && !store.containerBuilds.find(id))
      await logs.remove(id)
}
