import type { DeploymentEntry } from '../../targets/resolve-id.ts'
import type { Output } from '../output.ts'

/** Prefix that is unique in practice and fits a table: the kind and eight characters. */
export function shortId(id: string): string {
  return /^[a-z]+_[0-9a-z]{20}$/.test(id) ? id.slice(0, id.indexOf('_') + 9) : id
}

/** Prints deployments sorted by server, then from production to development. */
export function deploymentTable(output: Output, deployments: readonly DeploymentEntry[]): void {
  const rows = deployments.toSorted(byServerAndEnvironment).map(deployment => {
    const { name, environment, status, deployment_id, url } = deployment
    return [name ?? '', environment ?? '', status, shortId(deployment_id), url ?? '']
  })
  output.table(['SERVER', 'ENVIRONMENT', 'STATUS', 'DEPLOYMENT', 'URL'], rows, 'No deployments.')
}

const ORDER = ['production', 'staging', 'development']

export function byServerAndEnvironment(a: DeploymentEntry, b: DeploymentEntry): number {
  return (
    (a.name ?? '').localeCompare(b.name ?? '') ||
    ORDER.indexOf(a.environment ?? '') - ORDER.indexOf(b.environment ?? '')
  )
}
