import type { AuthProvider } from '@modelcontextprotocol/client'
import { HostingError } from '../shared/errors.ts'
import type { McpConnection } from '../shared/mcp-connection.ts'
import { nearestName } from '../shared/names.ts'
import type { Environment } from '../shared/states.ts'
import type { ApiClient } from './api-client.ts'
import type { OptionDeclaration } from './command.ts'
import type { CommandContext } from './command-context.ts'
import {
  type BuildEntry,
  type DeploymentEntry,
  findBuild,
  findDeployment,
  listBuilds,
  listDeployments,
} from './resolve-id.ts'
import { type GivenClient, withSignIn } from './sign-in/server-auth.ts'

/** Where an MCP server answers, and what it is called in sentences. */
export interface ServerTarget {
  url: string
  /** The server's name, or the URL when that is all there is. */
  name: string
  /** Deployment id or `mcp_id`, whose log and state can be asked for. */
  id?: string
}

/** Options of every command that speaks to a server. */
export const SERVER_OPTIONS = {
  env: {
    type: 'string',
    value: 'environment',
    choices: ['production', 'staging', 'development', 'preview'],
    doc: "which of a server's addresses; default: the live one, production first",
  },
  token: { type: 'string', value: 'token', doc: 'bearer token for a protected server' },
  clientId: {
    type: 'string',
    value: 'id',
    doc: 'what its sign-in knows this program by, where programs cannot register; the secret, if there is one, in MCP_CLIENT_SECRET',
  },
  callbackPort: {
    type: 'integer',
    value: 'port',
    doc: 'with --client-id: the registered address is http://127.0.0.1:<port>/callback',
  },
} as const satisfies Record<string, OptionDeclaration>

export const SERVER_ARGUMENT = {
  doc: "URL, server's name, deployment id or mcp_id",
  required: true,
} as const

export interface ServerInput {
  server: string
  env: (typeof SERVER_OPTIONS.env.choices)[number] | undefined
  token: string | undefined
  clientId: string | undefined
  callbackPort: number | undefined
}

const ORDER: readonly Environment[] = ['production', 'staging', 'development']

/** Finds the server, connects, works, closes. Logs of the server go to standard error. */
export async function useServer<T>(
  context: CommandContext,
  input: ServerInput,
  work: (connection: McpConnection, target: ServerTarget) => Promise<T>,
): Promise<T> {
  const client = givenClient(context, input)
  const target = await resolveTarget(context, input.server, input.env)
  const { withServer } = await import('./mcp-client.ts')
  const { globals, signal } = context
  const options = { timeoutMs: globals.timeout, signal, token: input.token, onLog: logTo(context) }
  const run = (authProvider?: AuthProvider) =>
    withServer(target.url, { ...options, authProvider }, connection => work(connection, target))
  try {
    return await (input.token === undefined ? withSignIn(context, { ...target, client }, run) : run())
  } catch (error) {
    throw nameLog(error, target)
  }
}

/** Throws INVALID_REQUEST for a port that is none. */
function givenClient(
  { env }: CommandContext,
  { clientId, callbackPort }: ServerInput,
): GivenClient | undefined {
  if (clientId === undefined && callbackPort !== undefined)
    throw new HostingError(
      'INVALID_REQUEST',
      '--callback-port is that of a client that is registered: give its --client-id, too.',
    )
  if (callbackPort !== undefined && (callbackPort < 1 || callbackPort > 65_535))
    throw new HostingError('INVALID_REQUEST', `--callback-port is ${callbackPort}: no port has that number.`)
  return clientId === undefined
    ? undefined
    : { id: clientId, secret: env.MCP_CLIENT_SECRET, port: callbackPort }
}

/** What became of a server of one's own is told by its log. */
function nameLog(error: unknown, { id }: ServerTarget): unknown {
  if (!(error instanceof HostingError) || error.code !== 'UNAVAILABLE' || !id) return error
  const next = [{ description: 'See its log', command: `mcp logs ${id}` }]
  return new HostingError(error.code, error.message, { next, cause: error.cause })
}

/** `[info] weather: Comparing Oslo, Lima` on standard error. */
export function logTo({ output }: CommandContext) {
  return (level: string, data: unknown, logger?: string) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    output.note(`[${level}] ${logger ? `${logger}: ` : ''}${text}`)
  }
}

/**
 * The address that `reference` means: a URL, a deployment id, an `mcp_id` (its preview), a unique prefix of one, or a
 * server's name: its live deployment, production before staging before development. A server that was never deployed is
 * reached at its preview. A failed deployment never gives way to another address, which may run other code with other
 * data. Throws NOT_FOUND, or CONFLICT when what is meant does not run.
 */
export async function resolveTarget(
  context: Pick<CommandContext, 'api'>,
  reference: string,
  env?: ServerInput['env'],
): Promise<ServerTarget> {
  if (/^https?:\/\//.test(reference)) return { url: parseUrl(reference), name: reference }
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
    if (chosen?.status === 'deployed') return withUrl(api, chosen)
    if (chosen) throw notServing(chosen)
    if (env) throw notLive(name, env, ofServer)
  }
  const builds = (await listBuilds(api, { name }))?.filter(one => one.name === name) ?? []
  const ready = builds.find(({ status }) => status === 'ready')
  if (ready) return readyTarget(ready)
  return targetOfPrefix(api, name)
}

/** One deployment per environment, production first: the one that serves, else the newest. The list comes newest first. */
function currentByEnvironment(deployments: readonly DeploymentEntry[]): DeploymentEntry[] {
  const environments = new Set([...ORDER, ...deployments.map(({ environment }) => environment)])
  return [...environments].flatMap(environment => {
    const there = deployments.filter(one => one.environment === environment)
    return there.find(({ status }) => status === 'deployed') ?? there[0] ?? []
  })
}

function notLive(name: string, env: string, deployments: readonly DeploymentEntry[]): HostingError {
  const there = [...new Set(deployments.map(one => `${one.environment} (${one.status})`))]
  return new HostingError(
    'NOT_FOUND',
    `${name} is not live in ${env}.${there.length > 0 ? ` It is in: ${there.join(', ')}.` : ''}`,
    { next: [{ description: 'Deploy it there', command: `mcp deploy --env ${env}` }] },
  )
}

/** An id without its prefix. A name that matches nothing gets a sentence about servers, not about ids. */
async function targetOfPrefix(api: ApiClient, reference: string): Promise<ServerTarget> {
  const unlessMissing = (error: unknown) => {
    if (error instanceof HostingError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
  const deployment = await findDeployment(api, reference).catch(unlessMissing)
  if (deployment) return withUrl(api, deployment)
  const build = await findBuild(api, reference).catch(unlessMissing)
  if (build) return readyTarget(build)
  if (api.isContractOnly) return targetOfStatus(api, reference)
  throw await unknownServer(api, reference)
}

/** Without lists a reference can only be a deployment's id, and the URL of a deployment is optional in its status. */
async function targetOfStatus(api: ApiClient, reference: string): Promise<ServerTarget> {
  const next = [
    { description: 'Name the server by the URL that `mcp deploy` printed', command: 'mcp tools <url>' },
  ]
  const path = `/v1/deploy/${encodeURIComponent(reference)}/status`
  const entry = await api.get<DeploymentEntry>(path).catch(error => {
    if (!(error instanceof HostingError) || error.code !== 'NOT_FOUND') throw error
    throw new HostingError('NOT_FOUND', `There is no deployment "${reference}".`, { next, cause: error })
  })
  if (entry.url) {
    const { url, name } = await withUrl(api, { ...entry, deployment_id: reference })
    return { url, name } // without an id, whose log such an API does not have
  }
  throw new HostingError('NOT_FOUND', `${api.url} does not report the URL of the deployment ${reference}.`, {
    next,
  })
}

async function unknownServer(api: ApiClient, reference: string): Promise<HostingError> {
  const names = [...new Set(((await listBuilds(api, {})) ?? []).map(({ name }) => name))]
  const near = nearestName(reference, names)
  return new HostingError(
    'NOT_FOUND',
    `There is no server "${reference}"${near ? `: did you mean "${near}"?` : '.'}`,
    { next: [{ description: 'See what there is', command: 'mcp list' }] },
  )
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
    throw new HostingError(
      'CONFLICT',
      `The build ${mcp_id} of ${name} is ${status}, so it has no address yet.`,
    )
  throw new HostingError('CONFLICT', `The build ${mcp_id} of ${name} failed, so it has no address.`, {
    next: [{ description: 'Correct the project, then build again', command: 'mcp build' }],
  })
}

async function targetOfDeployment(api: ApiClient, reference: string): Promise<ServerTarget> {
  const found = await findDeployment(api, reference)
  if (!found && api.isContractOnly) return targetOfStatus(api, reference)
  return withUrl(api, found ?? { deployment_id: reference, status: 'deployed' })
}

/** An API's list may leave the address out; its status tells it. */
async function withUrl(api: ApiClient, entry: DeploymentEntry): Promise<ServerTarget> {
  const path = `/v1/deploy/${encodeURIComponent(entry.deployment_id)}/status`
  const { status, url, name } = entry.url ? entry : await api.get<DeploymentEntry>(path)
  if (status !== 'deployed') throw notServing({ ...entry, status, name })
  if (!url)
    throw new HostingError(
      'UPSTREAM_FAILED',
      `The API tells no address of the deployment ${entry.deployment_id}.`,
    )
  return { url, name: name ?? entry.deployment_id, id: entry.deployment_id }
}

/** Says why a deployment does not answer, and what brings it back. */
function notServing({ deployment_id, status, name, environment, error }: DeploymentEntry): HostingError {
  const of = name ? ` of ${name}${environment ? ` in ${environment}` : ''}` : ''
  const verb = status === 'failed' ? 'failed' : `is ${status}`
  return new HostingError('CONFLICT', `Deployment ${deployment_id}${of} ${verb}, so it answers no calls.`, {
    ...(error && { details: `${error.code}: ${error.message}` }),
    next: NEXT[status].map(([description, command]) => ({
      description,
      command: `${command} ${deployment_id}`,
    })),
  })
}

const START = ['Start it', 'mcp start'] as const
const NEXT: Record<DeploymentEntry['status'], (readonly [description: string, command: string])[]> = {
  deployed: [],
  deploying: [['Check its progress', 'mcp status']],
  failed: [['See why', 'mcp logs'], START],
  stopped: [START],
}
