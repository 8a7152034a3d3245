import type { RequestPage } from '../../shared/contract/monitoring/requests.ts'
import type { ApiClient } from '../api/client.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { pickById } from './pick-by-id.ts'
import { listBuilds, resolveBuild, resolveDeployment, unknownServer } from './resolve-id.ts'
import { impliedPreview } from './server-target.ts'

const FULL_ID = /^req_[^.]+\.[^.]+\.[^.]+\.(dep|mcp)_[0-9a-z]{20}$/
const ID_PREFIX = /^req_[\w.-]+$/
const PAGE_SIZE = 1000
/** Maximum number of pages that are searched for an id. */
const MAX_PAGES = 20

/** Query of `GET /api/requests` for a server name, a deployment id or an `mcp_id`. */
export async function requestScope(
  context: CommandContext,
  client: ApiClient,
  { server, env }: { server: string | undefined; env: string | undefined },
): Promise<Record<string, string | undefined>> {
  if (server === undefined) return { environment: env }
  if (server.startsWith('mcp_')) return { deployment: await resolveBuild(client, server) }
  if (server.startsWith('dep_')) return { deployment: await resolveDeployment(client, server) }
  return { server, environment: env ?? impliedPreview(context, server) }
}

/** Throws NOT_FOUND with the nearest name for an unknown server, because the API returns an empty list for it. */
export async function requireKnown(client: ApiClient, server: string | undefined): Promise<void> {
  if (server === undefined || /^(dep|mcp)_/.test(server)) return
  if ((await listBuilds(client, { name: server }))?.length === 0) throw await unknownServer(client, server)
}

/**
 * Completes an id. A prefix must be unique on the newest page with a match. Lists shorten an id to its first parts, which
 * dots separate: `req_a.1` means `req_a.1.x`, not `req_a.12.x`. Throws NOT_FOUND, INVALID_REQUEST.
 */
export async function resolveRequest(client: ApiClient, reference: string): Promise<string> {
  if (FULL_ID.test(reference)) return reference
  const ids = ID_PREFIX.test(reference) ? await newestIds(client, reference) : []
  const shown = ids.filter(id => id.startsWith(`${reference}.`))
  const records = (shown.length > 0 ? shown : ids).map(id => ({ id }))
  if (records.length === 1) return records[0]!.id
  return pickById(records, reference, { what: 'request', list: 'mcp requests', minPrefix: 1 }).id
}

async function newestIds(client: ApiClient, id: string): Promise<string[]> {
  let nextToken: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await client.get<RequestPage>('/api/requests', { id, limit: PAGE_SIZE, nextToken })
    nextToken = page.nextToken ?? undefined
    if (page.items.length > 0 || nextToken === undefined) return page.items.map(({ id }) => id)
  }
  return []
}
