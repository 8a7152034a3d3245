import type { Environment } from '../../shared/contract/states.ts'

export type ServerTab = '' | '/requests' | '/logs' | '/releases' | '/settings'

/** Address of a view of a server. */
export function serverPath(name: string, tab: ServerTab, environment?: Environment): string {
  return `/servers/${encodeURIComponent(name)}${tab}${environment ? `?env=${environment}` : ''}`
}
