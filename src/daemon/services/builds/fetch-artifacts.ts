import { forEachConcurrently } from '../concurrency.ts'
import type { ServiceDependencies } from '../dependencies.ts'

const CONCURRENCY = 8

/**
 * Fetches artifacts from the storage if they are missing on this machine, for example after the database was moved. Reports
 * storage errors instead of throwing, so that servers with local artifacts start.
 */
export async function fetchMissingArtifacts({
  store,
  artifacts,
  background,
}: Pick<ServiceDependencies, 'artifacts' | 'background' | 'store'>): Promise<void> {
  const local = new Set(artifacts.list())
  const missing = store.builds.digests().filter(digest => !local.has(digest))
  await forEachConcurrently(missing, CONCURRENCY, async digest => {
    await artifacts.provide(digest).catch(background.report)
  })
}
