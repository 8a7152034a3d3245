import type { ServerEnv, VariableChanges } from '../../shared/contract/servers/variables.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import { SERVER_NAME } from '../../shared/names.ts'
import type { ApiClient } from '../api/client.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { findProjectFile, loadProject } from '../project/project.ts'
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

export const SERVER_ARGUMENT = { doc: 'server name (default: the project in this folder)' } as const

/**
 * The server and the variables of `mcp env set [server] KEY=VALUE…`. The first word is the server, unless it is `KEY=VALUE`, the
 * only word, or, in the folder of a project, in capitals and not a known server. Throws NOT_FOUND, INVALID_REQUEST.
 */
export async function readServerWords(
  context: Pick<CommandContext, 'api'>,
  words: readonly string[],
): Promise<{ name: string; variables: readonly string[] }> {
  const [first = '', ...rest] = words
  if (first.includes('=') || rest.length === 0)
    return { name: await resolveServer(context, undefined), variables: words }
  try {
    return { name: await resolveServer(context, first), variables: rest }
  } catch (error) {
    const here = /^[A-Z_][A-Z0-9_]*$/.test(first) ? await projectHere(false) : undefined
    if (here === undefined) throw error
    return { name: here, variables: words }
  }
}

/** Name of a server that is known, or that the project in this folder will build. Throws NOT_FOUND, INVALID_REQUEST. */
export async function resolveServer(
  { api }: Pick<CommandContext, 'api'>,
  reference: string | undefined,
): Promise<string> {
  const here = await projectHere(reference === undefined)
  if (reference === undefined || reference === here) return here!
  const client = await api()
  if (!SERVER_NAME.test(reference)) throw await unknownServer(client, reference)
  if (await isKnown(client, reference)) return reference
  throw await unknownServer(client, reference)
}

/** Variables may be stored before the first build, and outlive the last one. */
async function isKnown(api: ApiClient, name: string): Promise<boolean> {
  const builds = await listBuilds(api, { name })
  if (builds === undefined || builds.length > 0) return true
  const all = await Promise.all(ENVIRONMENTS.map(environment => readServerEnv(api, { name, environment })))
  return all.some(({ variables }) => variables.length > 0)
}

/** Undefined when this folder has no valid project, unless one is required. */
async function projectHere(isRequired: boolean): Promise<string | undefined> {
  if (!isRequired && !findProjectFile('.')) return undefined
  try {
    return (await loadProject('.')).request.name
  } catch (error) {
    if (!isRequired && error instanceof HostingError) return undefined
    if (!(error instanceof HostingError) || error.code !== 'INVALID_REQUEST') throw error
    throw new HostingError('INVALID_REQUEST', 'No server given, and this folder has no project.', {
      next: [{ description: 'List servers', command: 'mcp list' }],
      cause: error,
    })
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

/** Undefined when the API stores no variables, an extension of the contract. */
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
