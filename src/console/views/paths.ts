import type { StoreEnvironment } from '../../shared/contract/states.ts'

export type ServerTab = '' | '/playground' | '/requests' | '/logs' | '/releases' | '/tests' | '/settings'

/** URL of a view of a server. */
export function serverPath(
  name: string,
  tab: ServerTab,
  environment?: StoreEnvironment,
  query: Record<string, string> = {},
): string {
  const search = new URLSearchParams({ ...(environment && { env: environment }), ...query }).toString()
  return `/servers/${encodeURIComponent(name)}${tab}${search && `?${search}`}`
}

/** URL of a chat, or of a new one. */
export function chatPath(id?: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `/chat${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search && `?${search}`}`
}

/** URL of a server build or a container build. */
export function buildPath(id: string): string {
  return `/builds/${encodeURIComponent(id)}`
}

/** URL of the container builds of a project. */
export function projectBuildsPath(id: string): string {
  return `/builds?${new URLSearchParams({ kind: 'containers', project: id })}`
}
