import { currentDeployments } from '../../shared/current-deployments.ts'
import type { ApiClient } from '../api/client.ts'
import { type BuildEntry, type DeploymentEntry, listBuilds, listDeployments } from '../targets/resolve-id.ts'
import type { Choice } from './choice.ts'

/**
 * Names of servers in alphabetical order, or ids when the typed word starts like an id. Leaves out servers that have only failed
 * builds and no deployment. Empty when the API has no lists.
 */
export async function serverChoices(api: ApiClient, typed = ''): Promise<Choice[]> {
  const [deployments = [], builds = []] = await Promise.all([listDeployments(api, {}), listBuilds(api, {})])
  if (/^(dep|mcp)_/.test(typed)) return idChoices(deployments, builds)
  const usable = builds.filter(({ status }) => status !== 'failed')
  const names = [...new Set([...deployments.map(({ name = '' }) => name), ...usable.map(({ name }) => name)])]
  const current = currentDeployments(deployments)
  return names
    .filter(Boolean)
    .toSorted((a, b) => a.localeCompare(b))
    .map(value => ({ value, doc: placesOf(current.filter(({ name }) => name === value)) }))
}

/** `production, staging (stopped)` */
function placesOf(deployments: readonly DeploymentEntry[]): string {
  const places = deployments.map(({ environment, status }) =>
    status === 'deployed' ? environment : `${environment} (${status})`,
  )
  return places.join(', ') || 'preview'
}

function idChoices(deployments: readonly DeploymentEntry[], builds: readonly BuildEntry[]): Choice[] {
  return [
    ...deployments.map(({ deployment_id, name, environment, status }) => ({
      value: deployment_id,
      doc: [name, environment, status].filter(Boolean).join(' '),
    })),
    ...builds.map(({ mcp_id, name, status }) => ({ value: mcp_id, doc: `${name} ${status}` })),
  ]
}
