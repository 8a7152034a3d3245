import { debuggerInUse } from '../../shared/api/debugger-in-use.ts'
import type { Inspector } from '../../shared/contract/builds/inspector.ts'
import type { ApiClient } from '../api/client.ts'
import { listBuilds } from '../targets/resolve-id.ts'

/** Throws CONFLICT when the server's preview has a debugger. A build would take the preview away from the debugger. */
export async function requireNoDebugger(api: ApiClient, name: string): Promise<void> {
  const builds = (await listBuilds(api, { name })) ?? []
  const newest = builds.find(one => one.name === name && one.status === 'ready')
  if (!newest) return
  const { url } = await api.get<Inspector>(`/v1/build/${encodeURIComponent(newest.mcp_id)}/inspector`)
  if (url !== null) throw debuggerInUse(name, new URL(url).port)
}
