/** Closed lists of states and the only transitions between them (service interface section 3, docs/decisions/deployments.md). */
export const BUILD_STATES = ['building', 'ready', 'failed'] as const
export const DEPLOYMENT_STATES = ['deploying', 'deployed', 'failed', 'stopped'] as const
export const ENVIRONMENTS = ['production', 'staging', 'development'] as const
/** Each environment has its own store, and so does the preview. */
export const STORE_ENVIRONMENTS = [...ENVIRONMENTS, 'preview'] as const
export const TEMPLATES = ['basic', 'advanced', 'custom'] as const

/** Levels of log lines, lowest first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** Outcomes of MCP requests. */
export const REQUEST_OUTCOMES = ['ok', 'error', 'cancelled', 'refused'] as const

/** Verdict of a test suite, a case or a run. */
export const SUITE_STATES = ['passed', 'failed', 'error'] as const

export const PROJECT_STATES = ['active', 'archived', 'deleted'] as const

export const CONTAINER_BUILD_STATES = ['pending', 'in_progress', 'succeeded', 'failed', 'stopped'] as const

/** Phases of container builds, in order. */
export const BUILD_PHASES = [
  'QUEUED',
  'DOWNLOAD_SOURCE',
  'INSTALL',
  'BUILD',
  'IMAGE',
  'PUSH',
  'COMPLETED',
] as const

export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number]
export type ContainerBuildState = (typeof CONTAINER_BUILD_STATES)[number]
export type BuildPhase = (typeof BUILD_PHASES)[number]
export type ProjectState = (typeof PROJECT_STATES)[number]
export type BuildState = (typeof BUILD_STATES)[number]
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number]
export type Environment = (typeof ENVIRONMENTS)[number]
export type StoreEnvironment = (typeof STORE_ENVIRONMENTS)[number]
export type Template = (typeof TEMPLATES)[number]

export const BUILD_TRANSITIONS: Readonly<Record<BuildState, readonly BuildState[]>> = {
  building: ['ready', 'failed'],
  ready: [],
  failed: [],
}

/** `stopped → deploying` restarts the deployment. `failed → deploying` retries it. */
export const DEPLOYMENT_TRANSITIONS: Readonly<Record<DeploymentState, readonly DeploymentState[]>> = {
  deploying: ['deployed', 'failed', 'stopped'],
  deployed: ['stopped', 'failed'],
  stopped: ['deploying'],
  failed: ['deploying'],
}

export const PROJECT_TRANSITIONS: Readonly<Record<ProjectState, readonly ProjectState[]>> = {
  active: ['archived', 'deleted'],
  archived: ['active', 'deleted'],
  deleted: [],
}

export const CONTAINER_BUILD_TRANSITIONS: Readonly<
  Record<ContainerBuildState, readonly ContainerBuildState[]>
> = {
  pending: ['in_progress', 'stopped'],
  in_progress: ['succeeded', 'failed', 'stopped'],
  succeeded: [],
  failed: [],
  stopped: [],
}

export function canMove<S extends string>(table: Readonly<Record<S, readonly S[]>>, from: S, to: S): boolean {
  return table[from].includes(to)
}
