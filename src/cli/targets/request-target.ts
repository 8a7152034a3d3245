import type { RequestRecordItem } from '../../shared/contract/monitoring/requests.ts'
import type { ApiClient } from '../api/client.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { pickById } from './pick-by-id.ts'
import { listBuilds, resolveBuild, resolveDeployment, unknownServer } from './resolve-id.ts'
import { impliedPreview } from './server-target.ts'

const FULL_ID = /^req_[^.]+\.[^.]+\.[^.]+\.(dep|mcp)_[0-9a-z]{20}$/
/** Requests among which a prefix of an id must be unique. */
const RECENT = 1000

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

/** Throws NOT_FOUND with the nearest name for an unknown server. The list of its requests is only empty. */
export async function requireKnown(client: ApiClient, server: string | undefined): Promise<void> {
  if (server === undefined || /^(dep|mcp)_/.test(server)) return
  if ((await listBuilds(client, { name: server }))?.length === 0) throw await unknownServer(client, server)
}

/** An id, or a unique prefix among the newest requests. Throws NOT_FOUND, INVALID_REQUEST. */
export async function resolveRequest(client: ApiClient, reference: string): Promise<string> {
  if (FULL_ID.test(reference)) return reference
  const page = await client.get<{ items: RequestRecordItem[] }>('/api/requests', { limit: RECENT })
  // A shown prefix ends with a part of the id: `req_1z4.1` is not `req_1z4.10`.
  const shown = page.items.filter(({ id }) => id.startsWith(`${reference}.`))
  if (shown.length === 1) return shown[0]!.id
  const what = `request among the last ${RECENT}`
  return pickById(page.items, reference, { what, list: 'mcp requests' }).id
}
