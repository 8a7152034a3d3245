import type { DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import type { ProgramLimits } from '../../../shared/instances/instance-protocol.ts'
import type { Served } from '../../runtime/served.ts'
import type { Deployment } from '../../store/tables/deployments.ts'

const MINUTE_S = 60

/** Rules of an environment (docs/decisions/deployments.md). */
interface EnvironmentRules {
  /** Placement of servers without user code. User code always has a dedicated process. */
  placement: Served['placement']
  /** Maximum number of instances. Null for no limit. */
  maxInstances: number | null
  /** Time without a connection or request after which a deployment sleeps. Null for never, unless its minimum is 0 instances. */
  idleSeconds: number | null
  release: 'gradual' | 'at_once'
  /** Idle time after which a session of the 2025 era moves to the current release. */
  sessionSeconds: number
  logLevel: 'info' | 'debug'
  /** Number of deployments kept per server, including the live one. Null for all. */
  keptDeployments: number | null
  /** Memory limit of an instance with a dedicated process. */
  memoryMb: number
}

export const ENVIRONMENT_RULES: Record<Environment, EnvironmentRules> = {
  production: {
    placement: 'dedicated',
    maxInstances: null,
    idleSeconds: null,
    release: 'gradual',
    sessionSeconds: 30 * MINUTE_S,
    logLevel: 'info',
    keptDeployments: null,
    memoryMb: 512,
  },
  staging: {
    placement: 'shared',
    maxInstances: 2,
    idleSeconds: 15 * MINUTE_S,
    release: 'gradual',
    sessionSeconds: 15 * MINUTE_S,
    logLevel: 'info',
    keptDeployments: 5,
    memoryMb: 384,
  },
  // During development, a new deployment should be visible immediately.
  development: {
    placement: 'shared',
    maxInstances: 1,
    idleSeconds: 5 * MINUTE_S,
    release: 'at_once',
    sessionSeconds: 0,
    logLevel: 'debug',
    keptDeployments: 1,
    memoryMb: 384,
  },
}

/** Idle time of a production deployment whose minimum is 0 instances. */
const PRODUCTION_IDLE_S = 15 * MINUTE_S

/** Fills in the contract's defaults. Host names are lower case. */
export function normalizeConfig(config: DeployConfig = {}): DeployConfig {
  return {
    ...config,
    ...(config.domain ? { domain: config.domain.toLowerCase() } : {}),
    scaling: config.scaling ?? { min_instances: 1, max_instances: 10 },
  }
}

/** The scaling that applies in the environment. Only production keeps instances awake. */
export function scalingOf({ environment, config }: Deployment): { min: number; max: number } {
  const { min_instances: min = 1, max_instances: max = 10 } = config.scaling ?? {}
  const { maxInstances } = ENVIRONMENT_RULES[environment]
  return maxInstances === null ? { min, max } : { min: 0, max: Math.min(maxInstances, Math.max(1, max)) }
}

export function idleSeconds(deployment: Deployment): number | null {
  return (
    ENVIRONMENT_RULES[deployment.environment].idleSeconds ??
    (scalingOf(deployment).min === 0 ? PRODUCTION_IDLE_S : null)
  )
}

export function sessionSeconds({ config, environment }: Deployment): number {
  return config.session_seconds ?? ENVIRONMENT_RULES[environment].sessionSeconds
}

export function logLevel({ config, environment }: Deployment): 'info' | 'debug' {
  return config.log_level ?? ENVIRONMENT_RULES[environment].logLevel
}

/** By default, bodies are only recorded at the log level `debug`, which logs messages anyway. */
export function recordsBodies(deployment: Deployment): boolean {
  return deployment.config.record_bodies ?? logLevel(deployment) === 'debug'
}

export function memoryMb({ config, environment }: Deployment): number {
  return config.limits?.memory_mb ?? ENVIRONMENT_RULES[environment].memoryMb
}

/** Ratio of the hard limit, which kills an instance and fails its requests, to the memory at which an instance is replaced. */
const HARD_LIMIT_FACTOR = 2
/** Default limit on processes and threads. Chromium and Java start a few hundred threads. */
const PROGRAM_TASKS = 512

/** Limits on a program and all processes that it starts. Without `deployment`, those for a build or preview. */
export function programLimits(deployment?: Deployment): ProgramLimits {
  const replacedAboveMb = deployment ? memoryMb(deployment) : ENVIRONMENT_RULES.production.memoryMb
  const { pids = PROGRAM_TASKS, cpus } = deployment?.config.limits ?? {}
  return { memoryMb: replacedAboveMb * HARD_LIMIT_FACTOR, pids, ...(cpus !== undefined && { cpus }) }
}

/** The `promises` in the status of a deployment. With `isFixedScale`, load never starts additional instances. */
export function describePromises(
  deployment: Deployment,
  placement: Served['placement'],
  isFixedScale: boolean,
): NonNullable<DeploymentStatus['promises']> {
  const { release, keptDeployments } = ENVIRONMENT_RULES[deployment.environment]
  const { min, max } = scalingOf(deployment)
  const isShared = placement === 'shared'
  return {
    placement,
    min_instances: min,
    max_instances: isShared ? 1 : isFixedScale ? Math.max(1, min) : max,
    idle_seconds: idleSeconds(deployment),
    release,
    session_seconds: sessionSeconds(deployment),
    log_level: logLevel(deployment),
    record_bodies: recordsBodies(deployment),
    kept_deployments: keptDeployments,
    memory_mb: isShared ? null : memoryMb(deployment),
  }
}
