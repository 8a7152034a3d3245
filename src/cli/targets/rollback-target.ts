import type { ReleaseRecord } from '../../shared/contract/deployments/releases.ts'
import type { Environment } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { describeRelease } from '../output/tables/release-table.ts'
import { environmentPicker } from '../pickers/choose-environment.ts'
import { chooseServer } from '../pickers/choose-server.ts'
import { pick } from '../pickers/pick.ts'
import { listReleases } from './releases.ts'
import { type DeploymentEntry, findDeployment, listDeployments, resolveDeployment } from './resolve-id.ts'

export interface RollbackInput {
  /** Server name, or deployment id or prefix. Undefined for the server of the project in the current folder. */
  reference: string | undefined
  environment: Environment | undefined
  /** Version, or id or prefix of a deployment. */
  to: string | undefined
}

export interface RollbackTarget {
  /** Deployment to roll back. */
  from: string
  /** Deployment to return to. Undefined for the previous one. */
  target: string | undefined
  name: string
  /** Releases of the server in the environment, newest first. Empty if the API does not list them. */
  releases: ReleaseRecord[]
}

const SEARCHED_RELEASES = 1000
const OFFERED_RELEASES = 20

/**
 * Treats a reference to a deployment that is not live as the target. Asks for a release at a terminal, unless one is given.
 * Throws NOT_FOUND or INVALID_REQUEST.
 */
export async function resolveRollback(
  context: CommandContext,
  { reference, environment, to }: RollbackInput,
): Promise<RollbackTarget> {
  const api = await context.api()
  const named = reference ?? (await chooseServer(context))
  const found = await findDeployment(api, named, {
    ...(environment && { environment }),
    choose: environmentPicker(context),
  })
  const releases = found ? await releasesOf(api, found) : []
  const target = to === undefined ? undefined : await resolveTarget(api, to, releases)
  if (!found) return { from: named, target, name: named, releases }
  const { deployment_id: id, status, name = named } = found
  const live = target === undefined && status !== 'deployed' ? await findLive(api, found) : undefined
  if (live !== undefined) return { from: live, target: id, name, releases }
  return { from: id, target: target ?? (await chooseRelease(context, name, id, releases)), name, releases }
}

/** `3` and `v3` are versions. */
async function resolveTarget(
  api: ApiClient,
  to: string,
  releases: readonly ReleaseRecord[],
): Promise<string> {
  const version = /^v?(\d{1,9})$/.exec(to)?.[1]
  if (version === undefined || releases.length === 0) return resolveDeployment(api, to)
  const found = releases.find(release => release.version === Number(version))
  if (found) return found.deploymentId
  const { name, environment } = releases[0]!
  throw new HostingError('NOT_FOUND', `${name} has no version ${version} in ${environment}.`, {
    next: [{ description: 'List its releases', command: `mcp releases ${name} --env ${environment}` }],
  })
}

/** Undefined for the previous release: without a terminal, with `--yes`, or if there is at most one to choose. */
async function chooseRelease(
  { output, globals }: CommandContext,
  name: string,
  current: string,
  releases: readonly ReleaseRecord[],
): Promise<string | undefined> {
  const offered = releases.filter(release => release.deploymentId !== current && release.deployedAt !== null)
  if (!output.interactive || globals.yes || offered.length < 2) return undefined
  return pick(
    `Roll ${name} back to`,
    offered.slice(0, OFFERED_RELEASES).map(release => ({
      value: release.deploymentId,
      label: `v${release.version}`,
      doc: describeRelease(release),
    })),
  )
}

async function releasesOf(api: ApiClient, { name, environment }: DeploymentEntry): Promise<ReleaseRecord[]> {
  if (name === undefined || environment === undefined) return []
  try {
    return await listReleases(api, name, { environment, limit: SEARCHED_RELEASES })
  } catch (error) {
    if (['METHOD_NOT_ALLOWED', 'NOT_FOUND'].includes((error as HostingError).code)) return []
    throw error
  }
}

async function findLive(
  api: ApiClient,
  { name, environment, deployment_id }: DeploymentEntry,
): Promise<string | undefined> {
  if (name === undefined || environment === undefined) return undefined
  const live = await listDeployments(api, { name, environment, status: 'deployed' })
  return live?.find(one => one.name === name && one.deployment_id !== deployment_id)?.deployment_id
}
