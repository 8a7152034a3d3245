import type { ServerEnv, VariableChanges } from '../../shared/contract/servers/variables.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import { SERVER_NAME } from '../../shared/names.ts'
import type { ApiClient } from '../api/client.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { chooseServer } from '../pickers/choose-server.ts'
import { nameOfProject } from '../project/project.ts'
import { listBuilds, unknownServer } from '../targets/resolve-id.ts'

/** A server and environment. */
export interface Place {
  name: string
  environment: Environment
}

export const ENV_OPTION = {
  type: 'string',
  value: 'environment',
  choices: ENVIRONMENTS,
  default: 'development',
  doc: 'environment of the server',
} as const

export const SERVER_ARGUMENT = {
  kind: 'server',
  doc: 'server name (default: the project in this folder)',
} as const

/** Distinguishes variables from servers, whose names are rarely in capitals. */
export const VARIABLE_NAME = /^[A-Z_][A-Z0-9_]*$/

/**
 * The server and the variables of `mcp env set [server] KEY=VALUE…`. The first word is the server, unless it is `KEY=VALUE`, the
 * only word, or, in the folder of a project, in capitals and not a known server. Throws NOT_FOUND or INVALID_REQUEST.
 */
export async function readServerWords(
  context: CommandContext,
  words: readonly string[],
): Promise<{ name: string; variables: readonly string[] }> {
  const [first = '', ...rest] = words
  if (first.includes('=') || rest.length === 0) {
    const name = await resolveServer(context, undefined)
    if (name === first) throw new HostingError('INVALID_REQUEST', `Missing variable names for ${name}.`)
    return { name, variables: words }
  }
  try {
    return { name: await resolveServer(context, first), variables: rest }
  } catch (error) {
    const here = VARIABLE_NAME.test(first) ? await serverOfProject(context.cwd) : undefined
    if (here === undefined) throw error
    return { name: here, variables: words }
  }
}

/**
 * Name of a known server, of the server that the project in this folder builds, or of the chosen server. Throws NOT_FOUND or
 * INVALID_REQUEST.
 */
export async function resolveServer(context: CommandContext, reference: string | undefined): Promise<string> {
  if (reference === undefined) return chooseServer(context)
  if (reference === (await serverOfProject(context.cwd))) return reference
  const client = await context.api()
  if (!SERVER_NAME.test(reference)) throw await unknownServer(client, reference)
  if (await isKnown(client, reference)) return reference
  throw await unknownServer(client, reference)
}

/** Variables may be stored before the first build, and outlive the last build. */
async function isKnown(api: ApiClient, name: string): Promise<boolean> {
  const builds = await listBuilds(api, { name })
  if (builds === undefined || builds.length > 0) return true
  const all = await Promise.all(ENVIRONMENTS.map(environment => readServerEnv(api, { name, environment })))
  return all.some(({ variables }) => variables.length > 0)
}

/** Server that the project in a folder builds. Undefined without a readable project. */
export async function serverOfProject(directory: string): Promise<string | undefined> {
  try {
    return await nameOfProject(directory)
  } catch (error) {
    if (error instanceof HostingError) return undefined
    throw error
  }
}

export function readServerEnv(api: ApiClient, place: Place): Promise<ServerEnv> {
  return api.get<ServerEnv>(pathOf(place))
}

export function changeServerEnv(
  api: ApiClient,
  place: Place,
  variables: VariableChanges,
): Promise<ServerEnv> {
  return api.request('PATCH', pathOf(place), { body: { variables } })
}

/** Undefined when the API stores no variables. Stored variables are an extension of the contract. */
export async function readServerEnvIfStored(api: ApiClient, place: Place): Promise<ServerEnv | undefined> {
  try {
    const env = await readServerEnv(api, place)
    return Array.isArray(env?.variables) ? env : undefined
  } catch (error) {
    const { code } = error as HostingError
    if (code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED') return undefined
    throw error
  }
}

export function pathOf({ name, environment }: Place): string {
  return `/v1/servers/${encodeURIComponent(name)}/env/${environment}`
}
