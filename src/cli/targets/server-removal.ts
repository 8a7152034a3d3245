import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import type { MappingRecord } from '../../shared/contract/deployments/mappings.ts'
import type { ProjectRecord } from '../../shared/contract/projects/projects.ts'
import type { Environment } from '../../shared/contract/states.ts'
import { counted } from '../../shared/counted.ts'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import { listItems } from '../api/list-items.ts'
import { projectsOfServer } from '../project/projects.ts'
import { listBuilds, listDeployments } from './resolve-id.ts'

/** Contents of a server, as `mcp remove` reports them. */
export interface ServerContents {
  name: string
  environments: string[]
  deployments: number
  builds: number
  subdomains: string[]
  /**
   * Projects with the server's sources, which the command keeps. Empty with an environment, because the builds are then kept too.
   */
  projects: Pick<ProjectRecord, 'id' | 'name'>[]
}

/** Undefined when the API has no lists, or nothing of this server in them. With an environment, builds are not included. */
export async function serverContents(
  api: ApiClient,
  name: string,
  environment: Environment | undefined,
): Promise<ServerContents | undefined> {
  const [deployments, builds] = await Promise.all([
    listDeployments(api, { name, ...(environment && { environment }) }),
    environment === undefined ? listBuilds(api, { name }) : [],
  ])
  const deployed = deployments?.filter(one => one.name === name) ?? []
  const built = builds?.filter(one => one.name === name) ?? []
  if (deployed.length + built.length === 0) return undefined
  return {
    name,
    environments: [...new Set(deployed.map(one => one.environment ?? ''))],
    deployments: deployed.length,
    builds: built.length,
    subdomains: await mappedSubdomains(api, name, environment),
    projects: environment === undefined ? await projectsOfServer(api, name, projectIds(built)) : [],
  }
}

function projectIds(builds: readonly Pick<BuildRecord, 'project_id'>[]): string[] {
  return [...new Set(builds.flatMap(({ project_id }) => project_id ?? []))]
}

/** Commands that delete the projects left behind by a removed server. */
export function projectSteps(projects: ServerContents['projects']): NextStep[] {
  return projects.map(({ id, name }) => ({
    description: `Also delete project ${name} and its uploaded sources`,
    command: `mcp projects delete ${id}`,
  }))
}

/** `2 deployments (staging, production), 17 builds, subdomain team` */
export function describeContents({ environments, deployments, builds, subdomains }: ServerContents): string {
  const parts = [
    deployments > 0 && `${counted(deployments, 'deployment')} (${environments.join(', ')})`,
    builds > 0 && counted(builds, 'build'),
    subdomains.length > 0 &&
      `${subdomains.length === 1 ? 'subdomain' : 'subdomains'} ${subdomains.join(', ')}`,
  ]
  return parts.filter(Boolean).join(', ')
}

async function mappedSubdomains(
  api: ApiClient,
  name: string,
  environment: Environment | undefined,
): Promise<string[]> {
  const mappings = await listItems<MappingRecord>(api, '/api/lambda-mapping', { limit: 1000 }).catch(
    (error: unknown) => {
      if (error instanceof HostingError && error.code === 'METHOD_NOT_ALLOWED') return []
      throw error
    },
  )
  return mappings
    .filter(one => one.server === name && (environment === undefined || one.environment === environment))
    .map(({ subdomain }) => subdomain)
}
