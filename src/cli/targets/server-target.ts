import type { Environment } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { impliedEnvironment, isServedByDev } from '../dev/dev-mark.ts'
import { isUrl } from '../project/remote-server.ts'
import {
  type BuildEntry,
  type DeploymentEntry,
  findBuild,
  findDeployment,
  listBuilds,
  listDeployments,
  referTo,
  unknownServer,
} from './resolve-id.ts'
import type { ChosenServer, ServerInput } from './server-input.ts'

/** URL of an MCP server and its name in messages. */
export interface ServerTarget {
  url: string
  /** Name of the server, or its URL if the name is unknown. */
  name: string
  /** Deployment id or `mcp_id`, for commands that show the log or state. */
  id?: string
  /** Environment of a deployment that was found by the name of its server. */
  environment?: Environment | undefined
  /** Other environments in which a server that was given by name is live. */
  others?: Environment[]
}

/** `env`: given or implied, for commands to type next. */
export type ChosenTarget = ServerTarget & Pick<ServerInput, 'env'>

const ORDER: readonly Environment[] = ['production', 'staging', 'development']

/** `preview` for the server that `mcp dev` serves from this folder. Prints a note about it. */
export function impliedPreview(context: CommandContext, server: string): 'preview' | undefined {
  const implied = impliedEnvironment(context, server)
  if (implied) context.output.note(`Using the preview of ${server}, which mcp dev serves from this folder.`)
  return implied
}

/** `acts`: the command uses the server instead of listing what the server offers, so the user must know the environment. */
export interface TargetChoice {
  acts?: boolean
}

/**
 * Like `resolveTarget`, but prefers the preview of `mcp dev` in its folder. Prints a note that names the deployment if
 * others are live (with `acts`, at a terminal), or if `mcp dev` serves the server elsewhere.
 */
export async function chooseTarget(
  context: CommandContext,
  { server, env = impliedPreview(context, server) }: ChosenServer,
  { acts = false }: TargetChoice = {},
): Promise<ChosenTarget> {
  const target = await resolveTarget(context, server, env)
  if (env === undefined) noteChoice(context, target, acts)
  return { ...target, env }
}

/** `Using shelf in production. Others: --env development.` */
function noteChoice(
  context: CommandContext,
  { name, environment, others = [] }: ServerTarget,
  acts: boolean,
) {
  if (environment === undefined) return
  const { output } = context
  const hasPreview = isServedByDev(context, name)
  if (acts && output.noteTerminal && others.length > 0) {
    const flags = [...others, ...(hasPreview ? ['preview'] : [])].map(other => `--env ${other}`)
    output.note(`Using ${name} in ${environment}. Others: ${flags.join(', ')}.`)
  } else if (hasPreview)
    output.note(
      `Using the deployment of ${name} in ${environment}. To use the preview that mcp dev serves, add --env preview.`,
    )
}

/**
 * Resolves a URL, a deployment id, an `mcp_id` (its preview), a unique prefix of one, or a server name: its live deployment,
 * production before staging before development, or the preview of a server that was never deployed. Never falls back from a
 * failed deployment to another URL, which may run different code with different data. Throws NOT_FOUND, or CONFLICT when the
 * deployment is not running.
 */
export async function resolveTarget(
  context: Pick<CommandContext, 'api'>,
  reference: string,
  env?: ServerInput['env'],
): Promise<ServerTarget> {
  if (isUrl(reference)) return { url: parseUrl(reference), name: reference }
  const api = await context.api()
  if (reference.startsWith('mcp_')) return targetOfBuild(api, reference)
  if (reference.startsWith('dep_')) return targetOfDeployment(api, reference)
  return targetOfName(api, reference, env)
}

function parseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) throw new HostingError('INVALID_REQUEST', `"${text}" is not a URL.`)
  return url.href
}

async function targetOfName(api: ApiClient, name: string, env: ServerInput['env']): Promise<ServerTarget> {
  const deployments = (await listDeployments(api, { name })) ?? []
  const ofServer = deployments.filter(one => one.name === name)
  if (env !== 'preview') {
    const current = currentByEnvironment(ofServer).filter(one => !env || one.environment === env)
    const chosen = current.find(({ status }) => status === 'deployed' || status === 'failed') ?? current[0]
    if (chosen?.status === 'deployed')
      return {
        ...(await withUrl(api, chosen)),
        environment: chosen.environment,
        others: othersOf(chosen, current),
      }
    if (chosen) throw notServing(chosen, name)
    if (env) throw notLive(name, env, ofServer)
  }
  const builds = (await listBuilds(api, { name }))?.filter(one => one.name === name) ?? []
  const ready = builds.find(({ status }) => status === 'ready')
  if (ready) return readyTarget(ready)
  return targetOfPrefix(api, name)
}

/** One deployment per environment, production first: the live one or the newest. Expects the newest first. */
function currentByEnvironment(deployments: readonly DeploymentEntry[]): DeploymentEntry[] {
  const environments = new Set([...ORDER, ...deployments.map(({ environment }) => environment)])
  return [...environments].flatMap(environment => {
    const candidates = deployments.filter(one => one.environment === environment)
    return candidates.find(({ status }) => status === 'deployed') ?? candidates[0] ?? []
  })
}

/** Environments of the other live deployments. */
function othersOf(chosen: DeploymentEntry, current: readonly DeploymentEntry[]): Environment[] {
  const others = current.filter(one => one !== chosen && one.status === 'deployed')
  return others.flatMap(({ environment }) => environment ?? [])
}

function notLive(name: string, env: string, deployments: readonly DeploymentEntry[]): HostingError {
  const places = [...new Set(deployments.map(one => `${one.environment} (${one.status})`))]
  return new HostingError(
    'NOT_FOUND',
    `${name} is not live in ${env}.${places.length > 0 ? ` Its deployments: ${places.join(', ')}.` : ''}`,
    { next: [{ description: 'Deploy it there', command: `mcp deploy ${name} --env ${env}` }] },
  )
}

/**
 * Target of an id or a prefix of an id, with or without the kind (`dep_`). For an unknown name, the error is about servers, not
 * ids.
 */
async function targetOfPrefix(api: ApiClient, reference: string): Promise<ServerTarget> {
  const ignoreNotFound = (error: unknown) => {
    if (error instanceof HostingError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
  const deployment = await findDeployment(api, reference).catch(ignoreNotFound)
  if (deployment) return withUrl(api, deployment)
  const build = await findBuild(api, reference).catch(ignoreNotFound)
  if (build) return readyTarget(build)
  if (api.isContractOnly) return targetOfStatus(api, reference)
  throw await unknownServer(api, reference)
}

/** Target in an API without lists. The reference can only be a deployment id, and its status may lack the URL. */
async function targetOfStatus(api: ApiClient, reference: string): Promise<ServerTarget> {
  const next = [{ description: 'Use the URL that `mcp deploy` printed', command: 'mcp tools <url>' }]
  const path = `/v1/deploy/${encodeURIComponent(reference)}/status`
  const entry = await api.get<DeploymentEntry>(path).catch(error => {
    if (!(error instanceof HostingError) || error.code !== 'NOT_FOUND') throw error
    throw new HostingError('NOT_FOUND', `Deployment "${reference}" does not exist.`, { next, cause: error })
  })
  if (entry.url) {
    const { url, name } = await withUrl(api, { ...entry, deployment_id: reference })
    return { url, name } // no id, because such an API has no logs
  }
  throw new HostingError('NOT_FOUND', `${api.url} does not report the URL of deployment ${reference}.`, {
    next,
  })
}

async function targetOfBuild(api: ApiClient, reference: string): Promise<ServerTarget> {
  const found = await findBuild(api, reference)
  if (!found && api.isContractOnly) return targetOfStatus(api, reference)
  const build = found ?? (await api.get<BuildEntry>(`/v1/build/${encodeURIComponent(reference)}`))
  return readyTarget(build)
}

function readyTarget({ mcp_id, status, url, name }: BuildEntry): ServerTarget {
  if (status === 'ready') return { url, name, id: mcp_id }
  if (status !== 'failed')
    throw new HostingError('CONFLICT', `Build ${mcp_id} of ${name} is ${status} and has no URL yet.`)
  throw new HostingError('CONFLICT', `Build ${mcp_id} of ${name} failed and has no URL.`, {
    next: [{ description: 'Correct the project and build again', command: 'mcp build' }],
  })
}

async function targetOfDeployment(api: ApiClient, reference: string): Promise<ServerTarget> {
  const found = await findDeployment(api, reference)
  if (!found && api.isContractOnly) return targetOfStatus(api, reference)
  return withUrl(api, found ?? { deployment_id: reference, status: 'deployed' })
}

/** Reads a missing URL from the status, because the lists of some APIs lack it. */
async function withUrl(api: ApiClient, entry: DeploymentEntry): Promise<ServerTarget> {
  const path = `/v1/deploy/${encodeURIComponent(entry.deployment_id)}/status`
  const { status, url, name } = entry.url ? entry : await api.get<DeploymentEntry>(path)
  if (status !== 'deployed') throw notServing({ ...entry, status, name })
  if (!url)
    throw new HostingError(
      'UPSTREAM_FAILED',
      `The API does not report the URL of deployment ${entry.deployment_id}.`,
    )
  return { url, name: name ?? entry.deployment_id, id: entry.deployment_id }
}

/** Says why a deployment is not serving and how to restore it. */
function notServing(entry: DeploymentEntry, reference = entry.deployment_id): HostingError {
  const { deployment_id, status, name, environment, error } = entry
  const of = name ? ` of ${name}${environment ? ` in ${environment}` : ''}` : ''
  const verb = status === 'failed' ? 'failed' : `is ${status}`
  return new HostingError('CONFLICT', `Deployment ${deployment_id}${of} ${verb} and serves no requests.`, {
    ...(error && { details: `${error.code}: ${error.message}` }),
    next: NEXT[status].map(([description, command]) => ({
      description,
      command: `${command} ${referTo(reference, entry)}`,
    })),
  })
}

const START = ['Start it', 'mcp start'] as const
const NEXT: Record<DeploymentEntry['status'], (readonly [description: string, command: string])[]> = {
  deployed: [],
  deploying: [['Check its progress', 'mcp status']],
  failed: [['Show its log', 'mcp logs'], START],
  stopped: [START],
}
