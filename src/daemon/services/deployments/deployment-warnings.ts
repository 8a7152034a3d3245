import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Deployment } from '../../store/tables/deployments.ts'

type Promises = NonNullable<DeploymentStatus['promises']>

/** Warnings about accepted settings of a deployment that do not apply. */
export function deploymentWarnings(
  { environment, config }: Deployment,
  build: Pick<Build, 'name' | 'template' | 'env'>,
  promises: Promises,
): string[] {
  return [
    scalingWarning(environment, config.scaling, promises),
    memoryWarning(environment, config.limits?.memory_mb, promises),
    envWarning(Object.keys(config.env_vars ?? {}), build),
    networkWarning(config, promises),
  ].filter(text => text !== undefined)
}

/** Warns about scaling that does not apply. The default of 1 to 10 instances needs no warning. */
function scalingWarning(
  environment: Deployment['environment'],
  scaling: Deployment['config']['scaling'],
  { min_instances: min, max_instances: max }: Promises,
): string | undefined {
  const { min_instances: wantedMin = 1, max_instances: wantedMax = 10 } = scaling ?? {}
  const isDefault = wantedMin === 1 && wantedMax === 10
  if (isDefault || (wantedMin === min && wantedMax === max)) return undefined
  const why =
    environment === 'production'
      ? 'Programs and containers do not scale with load.'
      : 'Only production scales as configured.'
  return `config.scaling is not applied: ${wantedMin} to ${wantedMax} instances were requested, but ${environment} runs ${min} to ${max}. ${why}`
}

function memoryWarning(
  environment: Deployment['environment'],
  memoryMb: number | undefined,
  { placement }: Promises,
): string | undefined {
  if (memoryMb === undefined || placement !== 'shared') return undefined
  return `config.limits.memory_mb is not applied, because the server shares a process with others in ${environment}.`
}

/** Warns about code without a network namespace, unless the settings allow everything. */
function networkWarning(
  { network, allow_private_network: isPrivateOpen = false }: Deployment['config'],
  { network: border }: Promises,
): string | undefined {
  if (border === undefined || border === 'namespace' || (isPrivateOpen && network === undefined))
    return undefined
  const what = network === undefined ? 'The network border' : 'config.network'
  return border === 'none'
    ? `${what} is not applied, because this machine has no network namespaces. The program can reach every network. See "mcp doctor".`
    : `${what} is only enforced by functions within the process, because this machine has no network namespaces. See "mcp doctor".`
}

/**
 * Warns about a server that cannot read its variables. Deployments reject undeclared ones, and code without declarations reads
 * all.
 */
function envWarning(
  names: readonly string[],
  { name, template, env }: Pick<Build, 'name' | 'template' | 'env'>,
) {
  if (names.length === 0 || env.length > 0 || template === 'custom') return undefined
  const shown = names.slice(0, 10).join(', ') + (names.length > 10 ? ` and ${names.length - 10} more` : '')
  return `config.env_vars is not applied, because "${name}" declares no environment variables. It cannot read ${shown}. Declare them in "env" of the build.`
}

/** Warns about a ready build without content, which the contract allows. */
export function buildWarnings({ status, tools, resources, prompts }: Build): string[] {
  const isEmpty = tools.length + resources.length + prompts.length === 0
  return status === 'ready' && isEmpty ? ['The server offers no tools, resources or prompts.'] : []
}
