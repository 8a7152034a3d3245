import type { Rooms } from './rooms.ts'
import { forEachBounded } from './turns.ts'

const FETCHED_AT_ONCE = 8

/**
 * After a start: fetches artifacts that the storage has and this machine has not, as on a new machine with the database of
 * an old one. A storage out of reach keeps nothing from starting that is here.
 */
export async function restoreArtifacts({ store, artifacts, background }: Rooms): Promise<void> {
  const here = new Set(artifacts.list())
  const missing = store.builds.digests().filter(digest => !here.has(digest))
  await forEachBounded(missing, FETCHED_AT_ONCE, async digest => {
    await artifacts.provide(digest).catch(background.report)
  })
}
