import type { ReleasePage, ReleaseRecord } from '../../shared/contract/deployments/releases.ts'
import type { Environment } from '../../shared/contract/states.ts'
import type { ApiClient } from '../api/client.ts'

const PAGE_SIZE = 1000

/** Releases of a server, newest first, at most `limit`. Throws NOT_FOUND, and METHOD_NOT_ALLOWED if the API has no releases. */
export async function listReleases(
  api: ApiClient,
  name: string,
  { environment, limit }: { environment?: Environment | undefined; limit: number },
): Promise<ReleaseRecord[]> {
  const releases: ReleaseRecord[] = []
  let nextToken: string | undefined
  do {
    const page = await api.get<ReleasePage>(`/api/servers/${encodeURIComponent(name)}/releases`, {
      environment,
      limit: Math.min(PAGE_SIZE, limit - releases.length),
      nextToken,
    })
    releases.push(...page.items)
    nextToken = page.nextToken ?? undefined
  } while (nextToken !== undefined && releases.length < limit)
  return releases
}
