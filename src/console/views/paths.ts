import type { Environment } from '../../shared/contract/states.ts'

/** Address of a view of a server. */
export function serverPath(
  name: string,
  tab: '' | '/logs' | '/releases' | '/settings',
  environment?: Environment,
): string {
  return `/servers/${encodeURIComponent(name)}${tab}${environment ? `?env=${environment}` : ''}`
}
