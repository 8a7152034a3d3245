import type { DeploymentStatus } from '../../shared/deployments.ts'
import type { ProgramLimits } from '../../shared/instance-protocol.ts'
import type { Environment } from '../../shared/states.ts'
import type { Served } from '../runtime/supervisor.ts'
import type { Deployment } from '../store/deployments.ts'

const MINUTE_S = 60

/** What an environment promises (docs/decisions.md "Environments, locally"). */
interface Promises {
  /** Of servers without user code; code has processes of its own everywhere. */
  placement: Served['placement']
  /** Most instances, whatever is asked for; null: as many as are. */
  maxInstances: number | null
  /** Sleeps after so long without a connection or a request; null: never, unless it may have no instance at all. */
  idleSeconds: number | null
  release: 'gradual' | 'at_once'
  /** How long a session of the 2025 era that nobody uses stays with the release that began it. */
  sessionSeconds: number
  logLevel: 'info' | 'debug'
  /** Deployments of a server that are kept, the live one among them; null: all. */
  keptDeployments: number | null
  /** Memory that an instance with a process of its own may hold. */
  memoryMb: number
}

export const ENVIRONMENT: Record<Environment, Promises> = {
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
  // Who develops wants to see what was deployed, at once.
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

/** A deployment that is never to be without an instance does not sleep; one that may be sleeps after this time. */
const MAY_SLEEP_AFTER_S = 15 * MINUTE_S

/** The instances an environment really uses: only production keeps some awake. */
export function scalingOf({ environment, config }: Deployment): { min: number; max: number } {
  const { min_instances: min = 1, max_instances: max = 10 } = config.scaling ?? {}
  const { maxInstances } = ENVIRONMENT[environment]
  return maxInstances === null ? { min, max } : { min: 0, max: Math.min(maxInstances, Math.max(1, max)) }
}

export function idleSeconds(deployment: Deployment): number | null {
  return (
    ENVIRONMENT[deployment.environment].idleSeconds ??
    (scalingOf(deployment).min === 0 ? MAY_SLEEP_AFTER_S : null)
  )
}

export function sessionSeconds({ config, environment }: Deployment): number {
  return config.session_seconds ?? ENVIRONMENT[environment].sessionSeconds
}

export function logLevel({ config, environment }: Deployment): 'info' | 'debug' {
  return config.log_level ?? ENVIRONMENT[environment].logLevel
}

export function memoryMb({ config, environment }: Deployment): number {
  return config.limits?.memory_mb ?? ENVIRONMENT[environment].memoryMb
}

/** Twice what an instance may hold before it is replaced, with a failed request for what is under way. */
const KILLED_ABOVE = 2
/** Chromium and Java start some hundred threads. */
const PROGRAM_TASKS = 512

/** Limits of a program with everything that it starts. Without `deployment`: of a build or a preview. */
export function programLimits(deployment?: Deployment): ProgramLimits {
  const replacedAboveMb = deployment ? memoryMb(deployment) : ENVIRONMENT.production.memoryMb
  const { pids = PROGRAM_TASKS, cpus } = deployment?.config.limits ?? {}
  return { memoryMb: replacedAboveMb * KILLED_ABOVE, pids, ...(cpus !== undefined && { cpus }) }
}

/** What a deployment is promised, as its status shows it. `placement`: where it really runs; `isSteady`: load brings no further instance. */
export function promisesOf(
  deployment: Deployment,
  placement: Served['placement'],
  isSteady: boolean,
): NonNullable<DeploymentStatus['promises']> {
  const { release, keptDeployments } = ENVIRONMENT[deployment.environment]
  const { min, max } = scalingOf(deployment)
  const isShared = placement === 'shared'
  return {
    placement,
    min_instances: min,
    max_instances: isShared ? 1 : isSteady ? Math.max(1, min) : max,
    idle_seconds: idleSeconds(deployment),
    release,
    session_seconds: sessionSeconds(deployment),
    log_level: logLevel(deployment),
    kept_deployments: keptDeployments,
    memory_mb: isShared ? null : memoryMb(deployment),
  }
}
