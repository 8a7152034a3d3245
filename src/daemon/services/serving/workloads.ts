import type { DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { Served } from '../../runtime/served.ts'
import type { Address } from '../../store/tables/addresses.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import { prepareContainer } from '../builds/containers.ts'
import { loadArtifact } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { readEnv } from '../deployments/deployment-secrets.ts'
import { ENVIRONMENT_RULES, idleSeconds, memoryMb, scalingOf } from '../deployments/environments.ts'
import { deploymentTenant, getServedBuild, previewTenant, type TenantDependencies } from './tenants.ts'

/** Idle time after which a preview sleeps. */
const PREVIEW_IDLE_MS = 5 * 60_000
const PREVIEW_SCALING = { min: 0, max: 1 }

export type PreviewDependencies = TenantDependencies &
  Pick<ServiceDependencies, 'artifacts' | 'background' | 'clock' | 'containers' | 'images' | 'logs'>

export type WorkloadDependencies = PreviewDependencies & Pick<ServiceDependencies, 'signIns'>

/**
 * Describes a deployment to the runtime. Artifact and tenant are read when an instance starts, so that sleeping servers cost
 * neither memory nor start-up time. Throws UNAVAILABLE when the variables cannot be decrypted.
 */
export async function deploymentWorkload(
  deps: WorkloadDependencies,
  deployment: Deployment,
  onPhase?: (phase: string) => void,
): Promise<Served> {
  const build = getServedBuild(deps, deployment.mcpId)
  const { id, config } = deployment
  const idle = idleSeconds(deployment)
  const auth = config.auth && (await deps.signIns.tenantAuth(deployment))
  const isContained = config.engine === 'container'
  readEnv(deps.secrets, deployment) // reports undecryptable variables now instead of to the first client
  return {
    id,
    serverName: deployment.name,
    placement: placementOf(build, deployment),
    ...(isContained && containerOptions(deps, { buildId: build.id, id, config, onPhase })),
    scaling: scalingLimits(deps, build, { ...scalingOf(deployment), isContained }),
    ...(!isContained && { memoryMb: memoryMb(deployment), processMb: config.limits?.memory_mb }),
    idleMs: idle === null ? null : idle * 1000,
    answersAsleep: true,
    ...artifactLoaders(deps, build.id),
    loadTenant: () => deploymentTenant(deps, id, auth),
    ...(auth && { auth }),
  }
}

/** Describes the preview of a build to the runtime. `id` and `address` replace those of the build and its server. */
export function previewWorkload(
  deps: PreviewDependencies,
  build: Pick<Build, 'id' | 'name' | 'template'>,
  given: Record<string, string> = {},
  { id, address, inspectPort }: { id: string; address?: Address; inspectPort?: number | undefined } = build,
): Served {
  const { id: buildId, name } = build
  return {
    id,
    serverName: name,
    placement: placementOf(build),
    ...(build.template === 'custom' && containerOptions(deps, { buildId, id: buildId })),
    scaling: PREVIEW_SCALING,
    idleMs: inspectPort === undefined ? PREVIEW_IDLE_MS : null,
    inspectPort,
    answersAsleep: true,
    ...artifactLoaders(deps, buildId),
    loadTenant: () =>
      previewTenant(deps, { id, buildId, given, address, isInspected: inspectPort !== undefined }),
  }
}

interface ContainerInput {
  buildId: string
  id: string
  config?: DeployConfig
  onPhase?: ((phase: string) => void) | undefined
}

/** Container settings of a deployment. Without `config`, those of a preview, where only an image needs a container. */
function containerOptions(
  deps: Pick<
    ServiceDependencies,
    'artifacts' | 'background' | 'clock' | 'containers' | 'images' | 'logs' | 'store'
  >,
  { buildId, id, config, onPhase = () => {} }: ContainerInput,
): Pick<Served, 'isContained' | 'provide'> {
  const warn = (message: string) => {
    const line = { timestamp: deps.clock.now(), level: 'warn', stream: 'server', message } as const
    deps.background.run(() => deps.logs.append(id, line))
  }
  return {
    ...(config && { isContained: true }),
    async provide() {
      const build = getServedBuild(deps, buildId)
      const artifact = loadArtifact(deps, build)
      if (!config && artifact.program?.type !== 'image') return {}
      onPhase('preparing the image')
      const container = await prepareContainer(deps, {
        build,
        artifact,
        id,
        ...(config && { config }),
        warn,
      })
      onPhase('starting the container')
      return { container }
    },
  }
}

/**
 * Scaling of a deployment. Programs and code in containers run the minimum number of instances, because they keep sessions in
 * memory that other instances do not know.
 */
function scalingLimits(
  deps: Pick<ServiceDependencies, 'artifacts'>,
  build: Build,
  { min, max, isContained }: { min: number; max: number; isContained: boolean },
) {
  const isFixedScale = max > Math.max(1, min) && hasFixedScale(deps, build, isContained)
  return { min, max: isFixedScale ? Math.max(1, min) : max }
}

/** True when load never starts additional instances. See `scalingLimits`. */
export function hasFixedScale(
  deps: Pick<ServiceDependencies, 'artifacts'>,
  build: Build,
  isContained: boolean,
): boolean {
  if (build.template !== 'custom' || !deps.artifacts.has(build.digest ?? '')) return false
  const { program } = loadArtifact(deps, build)
  return program !== undefined && (program.type !== 'module' || isContained)
}

/** Placement of a deployment, or of a preview without `deployment`. User code never shares a process with another server. */
export function placementOf(
  { template }: Pick<Build, 'template'>,
  deployment?: Deployment,
): Served['placement'] {
  if (template === 'custom' || deployment?.config.engine === 'container') return 'dedicated'
  return deployment ? ENVIRONMENT_RULES[deployment.environment].placement : 'shared'
}

function artifactLoaders(
  deps: Pick<ServiceDependencies, 'artifacts' | 'store'>,
  buildId: string,
): Pick<Served, 'loadArtifact' | 'loadBundle'> {
  return {
    loadArtifact: () => loadArtifact(deps, getServedBuild(deps, buildId)),
    loadBundle() {
      const { digest, template } = getServedBuild(deps, buildId)
      return digest === null || template !== 'custom' ? undefined : deps.artifacts.loadBundle(digest)
    },
  }
}
