import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/contract/states.ts'
import { currentDeployments, LIVE_STATES } from '../../shared/current-deployments.ts'
import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { ApiClient } from '../api/client.ts'
import { listItems } from '../api/list-items.ts'
import { isUrl, remoteServerSteps } from '../project/remote-server.ts'

/** A deployment in a list. Other APIs may send fewer fields. */
export type DeploymentEntry = Pick<DeploymentStatus, 'deployment_id' | 'status'> & Partial<DeploymentStatus>
export type BuildEntry = Pick<BuildRecord, 'mcp_id' | 'name' | 'status' | 'url'> & Partial<BuildRecord>

export interface DeploymentFilter {
  environment?: Environment
  /** Preferred states, best first, when a name matches several deployments. */
  prefer?: readonly DeploymentEntry['status'][]
  /** Chooses between environments instead of throwing an error. */
  choose?: ((candidates: readonly DeploymentEntry[]) => Promise<DeploymentEntry>) | undefined
}

/** Shorter prefixes are probably mistakes. */
const MIN_PREFIX = 4
const PAGE_SIZE = 100
const FULL_ID = /^(dep|mcp)_[0-9a-z]{20}$/

/**
 * Resolves an id, a unique prefix of one (with or without `dep_`), or a server name to a deployment id. A server name means
 * its current deployment, only in `environment` if given, and preferably in a state of `prefer`. If the API has no list of
 * deployments, returns the reference unchanged. Throws NOT_FOUND, or INVALID_REQUEST with the candidates.
 */
export async function resolveDeployment(
  api: ApiClient,
  reference: string,
  filter: DeploymentFilter = {},
): Promise<string> {
  if (isFullId(reference, 'dep')) return reference
  const found = await findDeployment(api, reference, filter)
  return found?.deployment_id ?? reference
}

/**
 * Resolves the id of a container build, or a prefix that is unique among the newest builds. Throws NOT_FOUND or INVALID_REQUEST.
 */
export async function resolveContainerBuild(api: ApiClient, reference: string): Promise<string> {
  if (/^bld_[0-9a-z]{20}$/.test(reference)) return reference
  const items = await listContainerBuilds(api)
  if (items === undefined) return reference
  const matches = byPrefix(items, reference, 'bld', ({ id }) => id)
  const found = onlyOne(matches, 'container build', reference, ({ id }) => id)
  if (found) return found.id
  throw notFound('container build', reference, [])
}

async function listContainerBuilds(api: ApiClient): Promise<{ id: string }[] | undefined> {
  try {
    return (await api.get<{ items: { id: string }[] }>('/api/lambda-builds', { limit: 1000 })).items
  } catch (error) {
    if (api.isContractOnly) return undefined
    throw error
  }
}

/** Like `resolveDeployment`, but returns the entry of the list. Undefined when the API has no list. */
export async function findDeployment(
  api: ApiClient,
  reference: string,
  { environment, prefer = LIVE_STATES, choose }: DeploymentFilter = {},
): Promise<DeploymentEntry | undefined> {
  const named = await listDeployments(api, { name: reference, environment })
  if (named === undefined) return undefined
  const ofServer = named.filter(({ name }) => name === reference)
  if (ofServer.length > 0) return pickDeployment(ofServer, reference, { prefer, choose })
  const all = (await listDeployments(api, {})) ?? []
  const matches = byPrefix(all, reference, 'dep', ({ deployment_id }) => deployment_id)
  const found = onlyOne(matches, 'deployment', reference, describeDeployment)
  if (found) return found
  throw await unknownDeployment(
    api,
    reference,
    all.flatMap(({ name }) => name ?? []),
    environment,
  )
}

/** Current deployments of a server, production first, only in `environment` if given. Empty when there are none. */
export async function deploymentsOfServer(
  api: ApiClient,
  name: string,
  environment?: Environment,
): Promise<DeploymentEntry[]> {
  const all = (await listDeployments(api, { name, ...(environment && { environment }) })) ?? []
  return currentDeployments(all.filter(one => one.name === name)).toSorted(
    (a, b) => ENVIRONMENTS.indexOf(a.environment!) - ENVIRONMENTS.indexOf(b.environment!),
  )
}

/** The deployment in a command to type next: by the name that the user gave, otherwise by its id. */
export function referTo(
  reference: string,
  { name, environment, deployment_id }: Partial<DeploymentEntry>,
): string {
  if (reference === name && environment) return `${name} --env ${environment}`
  return deployment_id ?? reference
}

/**
 * Resolves an id, a unique prefix of one, or a server name (its newest ready build, otherwise its newest build) to an `mcp_id`.
 */
export async function resolveBuild(api: ApiClient, reference: string): Promise<string> {
  if (isFullId(reference, 'mcp')) return reference
  return (await findBuild(api, reference))?.mcp_id ?? reference
}

/** Like `resolveBuild`, but returns the entry of the list. Undefined when the API has no list. */
export async function findBuild(api: ApiClient, reference: string): Promise<BuildEntry | undefined> {
  const named = await listBuilds(api, { name: reference })
  if (named === undefined) return undefined
  const ofServer = named.filter(({ name }) => name === reference)
  if (ofServer.length > 0) return ofServer.find(({ status }) => status === 'ready') ?? ofServer[0]
  const all = (await listBuilds(api, {})) ?? []
  const matches = byPrefix(all, reference, 'mcp', ({ mcp_id }) => mcp_id)
  const describe = ({ mcp_id, name, status }: BuildEntry) => `${mcp_id}  ${name}  ${status}`
  const found = onlyOne(matches, 'build', reference, describe)
  if (found) return found
  const names = all.map(({ name }) => name)
  throw notFound('build', reference, names)
}

/** All deployments that match, newest first. Undefined when the API has no list. */
export function listDeployments(
  api: ApiClient,
  filter: { name?: string; environment?: string; status?: string },
): Promise<DeploymentEntry[] | undefined> {
  return listAll<DeploymentEntry>(api, '/v1/deploy', filter)
}

/** All builds that match, newest first. Undefined when the API has no list. */
export function listBuilds(api: ApiClient, filter: { name?: string }): Promise<BuildEntry[] | undefined> {
  return listAll<BuildEntry>(api, '/v1/build', filter)
}

export async function unknownServer(api: ApiClient, reference: string): Promise<HostingError> {
  const names = [...new Set(((await listBuilds(api, {})) ?? []).map(({ name }) => name))]
  const near = nearestName(reference, names)
  return new HostingError(
    'NOT_FOUND',
    `Server "${reference}" does not exist.${near ? ` Did you mean "${near}"?` : ''}`,
    { next: [{ description: 'List servers', command: 'mcp list' }] },
  )
}

async function listAll<T>(
  api: ApiClient,
  path: string,
  filter: Record<string, string | undefined>,
): Promise<T[] | undefined> {
  try {
    return await listItems<T>(api, path, { ...filter, limit: PAGE_SIZE })
  } catch (error) {
    // Lists are an extension of the contract.
    if (error instanceof HostingError && (error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_ALLOWED'))
      return undefined
    throw error
  }
}

function isFullId(reference: string, prefix: 'dep' | 'mcp'): boolean {
  return FULL_ID.test(reference) && reference.startsWith(`${prefix}_`)
}

function byPrefix<T>(
  all: readonly T[],
  reference: string,
  kind: 'dep' | 'mcp' | 'bld',
  idOf: (one: T) => string,
): T[] {
  const prefix = reference.startsWith(`${kind}_`) ? reference : `${kind}_${reference}`
  const exact = all.find(one => idOf(one) === reference)
  if (exact) return [exact]
  if (prefix.length < MIN_PREFIX + kind.length + 1) return []
  return all.filter(one => idOf(one).startsWith(prefix))
}

/** Undefined without a match. Throws INVALID_REQUEST for several. */
function onlyOne<T>(
  matches: readonly T[],
  kind: string,
  reference: string,
  describe: (one: T) => string,
): T | undefined {
  if (matches.length > 1) throw ambiguousPrefix(kind, reference, matches.map(describe))
  return matches[0]
}

function pickDeployment(
  deployments: readonly DeploymentEntry[],
  name: string,
  { prefer, choose }: Pick<DeploymentFilter, 'choose'> & Required<Pick<DeploymentFilter, 'prefer'>>,
): DeploymentEntry | Promise<DeploymentEntry> {
  const current = currentDeployments(deployments)
  const preferred = current.filter(({ status }) => prefer.includes(status))
  const candidates = preferred.length > 0 ? preferred : current
  if (candidates.length === 1) return candidates[0]!
  if (choose) return choose(candidates)
  const environments = candidates.map(({ environment }) => environment).join(', ')
  throw new HostingError(
    'INVALID_REQUEST',
    `${name} has ${candidates.length} deployments. Choose one with --env: ${environments}.`,
    { details: candidates.map(describeDeployment).join('\n') },
  )
}

function describeDeployment({ deployment_id, name, environment, status }: DeploymentEntry): string {
  return [deployment_id, name, environment, status].filter(Boolean).join('  ')
}

function ambiguousPrefix(kind: string, reference: string, candidates: string[]): HostingError {
  const message = `"${reference}" matches ${candidates.length} ${kind}s. Give a longer prefix.`
  return new HostingError('INVALID_REQUEST', message, { details: candidates.slice(0, 20).join('\n') })
}

/** A server may exist without a deployment: as a preview, or in other environments only. */
async function unknownDeployment(
  api: ApiClient,
  reference: string,
  deployed: readonly string[],
  environment: Environment | undefined,
): Promise<HostingError> {
  const names = [...deployed, ...((await listBuilds(api, {})) ?? []).map(({ name }) => name)]
  if (!names.includes(reference)) return notFound('deployment', reference, names)
  const where = environment === undefined ? '' : ` in ${environment}`
  const flag = environment === undefined ? '' : ` --env ${environment}`
  return new HostingError('NOT_FOUND', `Server "${reference}" has no deployment${where}.`, {
    next: [
      { description: 'Deploy it', command: `mcp deploy ${quoteShellWord(reference)}${flag}` },
      { description: 'List servers', command: 'mcp list' },
    ],
  })
}

function notFound(kind: string, reference: string, names: readonly string[]): HostingError {
  const near = nearestName(reference, [...new Set(names)])
  const subject =
    kind === 'container build' ? 'Container build' : `${kind === 'build' ? 'Build' : 'Deployment'} or server`
  return new HostingError(
    'NOT_FOUND',
    `${subject} "${reference}" does not exist.${near ? ` Did you mean "${near}"?` : ''}`,
    {
      next: [
        { description: 'List servers', command: 'mcp list' },
        ...(isUrl(reference) ? remoteServerSteps(reference) : []),
      ],
    },
  )
}
