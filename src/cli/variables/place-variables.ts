import type { DeployRequest } from '../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../shared/errors.ts'
import { looksSecret } from '../../shared/secret-names.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { ApiClient } from '../api/client.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { type Place, readServerEnvIfStored } from './server-env.ts'

type Values = Record<string, string>

interface GivenValues {
  /** Values from the project file. */
  base: Values | undefined
  /** Values from `--set` and `--env-file`. */
  given: Values
  /** True to store the given values. */
  save: boolean
}

/** The parts of a deploy request that carry variables. */
export interface PlacedVariables {
  /** Values for this deployment only. */
  env_vars: Values
  /** Values to store. */
  variables?: NonNullable<DeployRequest['variables']>
}

/**
 * Decides what is stored and what is for this deployment only. Given values take precedence over stored ones, and stored ones
 * over the project file. If the API stores no variables, all values are for this deployment.
 */
export async function placeVariables(
  { api }: Pick<CommandContext, 'api'>,
  place: Place,
  { base = {}, given, save }: GivenValues,
): Promise<PlacedVariables> {
  if (Object.keys({ ...base, ...given }).length === 0) return { env_vars: {} }
  const env = await readServerEnvIfStored(await api(), place)
  if (!env) return { env_vars: { ...base, ...given } }
  const stored = new Set(env.variables.map(({ name }) => name))
  const defaults = Object.entries(base).filter(([name]) => !stored.has(name) && !Object.hasOwn(given, name))
  const env_vars = Object.fromEntries(defaults)
  if (!save) return { env_vars: { ...env_vars, ...given } }
  return { env_vars, ...(Object.keys(given).length > 0 && { variables: given }) }
}

/** Prints which values were stored for later deployments. */
export function printStored({ output }: CommandContext, name: string, { variables }: PlacedVariables): void {
  if (output.json || !variables) return
  output.line(
    `Stored ${Object.keys(variables).join(', ')} for later deployments (mcp env list ${quoteShellWord(name)})`,
  )
}

/** Explains an error about missing variables, with the command that sets them. Returns other errors unchanged. */
export function explainMissingVariables(
  error: unknown,
  { name, environment }: Place,
  { isContractOnly }: Pick<ApiClient, 'isContractOnly'>,
): unknown {
  if (!(error instanceof HostingError) || error.code !== 'INVALID_REQUEST') return error
  const names = [...(error.details ?? '').matchAll(/config\.env_vars\.(\w+): required/g)].map(
    match => match[1]!,
  )
  if (names.length === 0) return error
  const command = isContractOnly
    ? `mcp deploy --env ${environment} ${names.map(one => `--set ${one}=…`).join(' ')}`
    : setCommand(names, { name, environment })
  return missingVariables(names, { name, environment }, { command, cause: error })
}

/**
 * Throws INVALID_REQUEST when the newest build of the server requires variables without a value, so that a deployment fails
 * before long work. Does nothing if the API stores no variables. The deployment then reports the missing variables.
 */
export async function requireVariables(
  { api }: Pick<CommandContext, 'api'>,
  place: Place,
  { env_vars, variables = {} }: PlacedVariables,
): Promise<void> {
  const env = await readServerEnvIfStored(await api(), place)
  const isGiven = (name: string) => Object.hasOwn(env_vars, name) || Object.hasOwn(variables, name)
  const missing = (env?.missing ?? []).filter(({ name, required }) => required && !isGiven(name))
  const names = missing.map(({ name }) => name)
  if (names.length > 0) throw missingVariables(names, place, { command: setCommand(names, place) })
}

function missingVariables(
  names: readonly string[],
  { name, environment }: Place,
  { command, cause }: { command: string; cause?: HostingError },
): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    `${name} needs the environment variable${names.length > 1 ? 's' : ''} ${names.join(', ')} in ${environment}.`,
    { next: [{ description: names.length > 1 ? 'Set them' : 'Set it', command }], cause },
  )
}

function setCommand(names: readonly string[], { name, environment }: Place): string {
  return `mcp env set ${quoteShellWord(name)} ${names.map(toWord).join(' ')}${environmentFlag(environment)}`
}

/** `KEY` alone for a secret, so that `mcp env set` asks for the value without showing it. */
function toWord(name: string): string {
  return looksSecret(name, '') ? name : `${name}=…`
}

/** Empty for development, the default of `mcp env set`. */
export function environmentFlag(environment: string): string {
  return environment === 'development' ? '' : ` --env ${environment}`
}
