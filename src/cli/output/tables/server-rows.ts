import { formatElapsed } from '../../../shared/format/relative-time.ts'
import type { BuildEntry, DeploymentEntry } from '../../targets/resolve-id.ts'
import { shortId } from './deployment-table.ts'
import { commitText, messageText } from './release-table.ts'

/** A build or a deployment in `mcp list`. */
export interface ServerRow {
  server: string
  /** Environment of a deployment, `preview` for the build that the preview serves, otherwise `build`. */
  where: string
  version: string
  status: string
  age: string
  commit: string
  message: string
  url: string
  id: string
  /** True when the build or deployment answers MCP requests. */
  isUsable: boolean
}

export const SERVER_COLUMNS: readonly [header: string, cell: (row: ServerRow) => string][] = [
  ['SERVER', ({ server }) => server],
  ['WHERE', ({ where }) => where],
  ['VERSION', ({ version }) => version],
  ['STATUS', ({ status }) => status],
  ['AGE', ({ age }) => age],
  ['URL', ({ url }) => url],
  ['ID', ({ id }) => id],
  ['COMMIT', ({ commit }) => commit],
  ['MESSAGE', ({ message }) => message],
]

export function deploymentRow(deployment: DeploymentEntry): ServerRow {
  const { name = '', environment = '', version, status, created_at, deployment_id, url, release } = deployment
  const isUsable = status === 'deployed'
  return {
    server: name,
    where: environment,
    version: version === undefined ? '' : `v${version}`,
    status,
    age: ageOf(created_at),
    commit: release ? commitText(release) : '',
    message: release ? messageText({ message: release.message, rollbackTo: release.rollback_to }) : '',
    url: isUsable || status === 'deploying' ? (url ?? '') : '',
    id: shortId(deployment_id),
    isUsable,
  }
}

/** Only the newest ready build, `isServed`, answers at the preview's URL. */
export function buildRow(build: BuildEntry, { isServed }: { isServed: boolean }): ServerRow {
  const { name, status, created_at, digest, mcp_id, url } = build
  return {
    server: name,
    where: isServed ? 'preview' : 'build',
    version: digest?.slice(0, 7) ?? '',
    status,
    age: ageOf(created_at),
    commit: '',
    message: '',
    url: isServed ? url : '',
    id: shortId(mcp_id),
    isUsable: isServed,
  }
}

function ageOf(timestamp: string | undefined): string {
  return timestamp === undefined ? '' : formatElapsed(timestamp)
}
