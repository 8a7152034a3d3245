import type { DeployConfig } from '../../shared/contract/deployments/deploy-config.ts'
import type {
  DeploymentRecord,
  DeploymentStatus,
  DeployRequest,
} from '../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../shared/errors.ts'
import { parseDestination } from '../../shared/network/destinations.ts'
import { followPhases } from '../api/follow-phases.ts'
import { waitFor } from '../api/wait-for.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { reportFailure } from '../command-line/failure.ts'
import { logOrHealthStep } from '../targets/log-or-health-step.ts'
import { explainMissingVariables } from '../variables/place-variables.ts'
import { mergeScaling, type ScalingFlags } from './scaling-flags.ts'

/** The contract's record, with our extensions if the API sends them. */
export type DeployResult = DeploymentRecord & Partial<DeploymentStatus>

/** Deploys. With `wait`, returns when the deployment is live or failed. */
export async function deployServer(
  context: CommandContext,
  request: DeployRequest,
  { name, wait }: { name: string; wait: boolean },
): Promise<DeployResult> {
  const api = await context.api()
  const title = `Deploying ${name} to ${request.environment}`
  return context.output.progress(title, async update => {
    const record = await followPhases<DeployResult>(api, '/v1/deploy', {
      body: request,
      headers: wait ? {} : { prefer: 'respond-async' },
      timeoutMs: context.globals.timeout,
      onPhase: phase => update(`${title}: ${phase}`),
    }).catch(error => {
      throw explainMissingVariables(error, { name, environment: request.environment }, api)
    })
    return wait ? settleDeployment(context, record) : record
  })
}

/** Waits while the deployment is `deploying`. */
export async function settleDeployment(context: CommandContext, record: DeployResult): Promise<DeployResult> {
  if (record.status !== 'deploying') return record
  const api = await context.api()
  const id = record.deployment_id
  const status = await waitFor({
    read: () => api.get<Partial<DeployResult>>(`/v1/deploy/${encodeURIComponent(id)}/status`),
    isDone: ({ status }) => status !== 'deploying',
    failure: `Deployment ${id} did not finish`,
    isContinued: true,
    timeoutMs: context.globals.timeout,
    signal: context.signal,
    next: [{ description: 'Check its progress', command: `mcp status ${id}` }],
  })
  return { ...record, ...status }
}

export async function reportFailedDeployment(
  { output, api }: CommandContext,
  { deployment_id, error }: DeployResult,
  name: string,
): Promise<ExitCode> {
  const next = [logOrHealthStep(await api(), deployment_id)]
  return reportFailure(output, `Deployment of ${name} failed`, error, next)
}

export const NETWORK_OPTION = {
  type: 'string',
  value: 'hosts',
  doc: 'hosts that the code may reach, such as "api.github.com,*.example.com:443", none or open (default)',
} as const

export const ORIGIN_OPTION = {
  type: 'list',
  value: 'origin',
  doc: 'web origin whose pages may use the server, such as https://app.example.com, or "*" with sign-in',
} as const

/** Omits undefined members. Returns undefined when none is left. Throws INVALID_REQUEST for an invalid flag. */
export function mergeConfig(base: DeployConfig | undefined, flags: DeployFlags): DeployConfig | undefined {
  const env = flags.env_vars
  const scaling = mergeScaling(base?.scaling, flags)
  const domain = flags.domain ?? base?.domain
  const network = flags.network === undefined ? base?.network : parseNetworkFlag(flags.network)
  const origins = originsOf(flags.origin) ?? base?.origins
  const { network: _network, env_vars: _env, ...others } = base ?? {}
  const config: DeployConfig = {
    ...others,
    ...(network === undefined ? {} : { network }),
    ...(origins === undefined ? {} : { origins }),
    ...(domain === undefined ? {} : { domain }),
    ...(Object.keys(scaling ?? {}).length === 0 ? {} : { scaling }),
    ...(Object.keys(env).length === 0 ? {} : { env_vars: env }),
    ...containerConfig(base, flags),
  }
  return Object.keys(config).length === 0 ? undefined : config
}

/** `--origin` overrides the project file. */
function originsOf(given: readonly string[] = []): DeployConfig['origins'] {
  if (given.length === 0) return undefined
  return given.includes('*') ? '*' : [...given]
}

/** Undefined for `open`, which overrides the project file. */
function parseNetworkFlag(flag: string): DeployConfig['network'] {
  if (flag === 'open') return undefined
  if (flag === 'none') return 'none'
  const allow = flag.split(',').map(entry => entry.trim())
  const problem = allow.map(parseDestination).find(entry => typeof entry === 'string')
  if (problem === undefined) return { allow }
  throw new HostingError('INVALID_REQUEST', `--network: ${problem}, or "none" or "open".`)
}

/** `--image` and the limits of its container. */
interface ContainerFlags {
  /** `''` for an image made from the build. */
  image?: string | undefined
  memory?: number | undefined
  cpus?: number | undefined
  pids?: number | undefined
}

function containerConfig(
  base: DeployConfig | undefined,
  { image, memory, cpus, pids }: ContainerFlags,
): Pick<DeployConfig, 'engine' | 'image' | 'limits'> {
  const limits = {
    ...base?.limits,
    ...(memory !== undefined && { memory_mb: memory }),
    ...(cpus !== undefined && { cpus }),
    ...(pids !== undefined && { pids }),
  }
  return {
    ...(image !== undefined && { engine: 'container' as const }),
    ...(image && { image }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}

export interface DeployFlags extends ContainerFlags, ScalingFlags {
  domain?: string
  /** `none`, `open` or hosts separated by commas. */
  network?: string | undefined
  origin?: readonly string[]
  /** All variables of the deployment that are not stored, including those of `base`. */
  env_vars: Record<string, string>
}
