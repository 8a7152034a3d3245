import type { Artifact } from '../../shared/artifact.ts'
import type { DeployConfig } from '../../shared/deploy-config.ts'
import { HostingError } from '../../shared/errors.ts'
import type { Served } from '../runtime/supervisor.ts'
import type { Address } from '../store/addresses.ts'
import type { Build } from '../store/builds.ts'
import type { Deployment } from '../store/deployments.ts'
import { provideContainer } from './containers.ts'
import { readEnv } from './deployment-secrets.ts'
import { ENVIRONMENT, idleSeconds, memoryMb, scalingOf } from './environments.ts'
import type { Rooms } from './rooms.ts'
import { deploymentTenant, getServedBuild, previewTenant } from './tenants.ts'

/** A preview sleeps after this time. */
const PREVIEW_IDLE_MS = 5 * 60_000
const PREVIEW_SCALING = { min: 0, max: 1 }

/**
 * A deployment as the runtime takes it. What its instances need is read when one is started: a restart of the daemon with
 * thousands of sleeping servers opens no file of theirs, and they take no memory here. Throws UNAVAILABLE when its variables
 * cannot be decrypted.
 */
export async function servedDeployment(rooms: Rooms, deployment: Deployment): Promise<Served> {
  const build = getServedBuild(rooms, deployment.mcpId)
  const { id, config } = deployment
  const idle = idleSeconds(deployment)
  const auth = config.auth && (await rooms.signIns.tenantAuth(deployment))
  const isContained = config.engine === 'container'
  readEnv(rooms.secrets, deployment) // what cannot be decrypted is told now, not to its first client
  return {
    id,
    serverName: deployment.name,
    placement: placementOf(build, deployment),
    ...(isContained && containedBy(rooms, { buildId: build.id, id, config })),
    scaling: steadyScaling(rooms, build, { ...scalingOf(deployment), isContained }),
    ...(!isContained && { memoryMb: memoryMb(deployment), processMb: config.limits?.memory_mb }),
    idleMs: idle === null ? null : idle * 1000,
    answersAsleep: true,
    ...loadersOf(rooms, build.id),
    loadTenant: () => deploymentTenant(rooms, id, auth),
    ...(auth && { auth }),
  }
}

/** The preview of a build: asleep until somebody connects. `id`, `address`: others than the build's and its server's. */
export function servedPreview(
  rooms: Rooms,
  build: Pick<Build, 'id' | 'name' | 'template'>,
  given: Record<string, string> = {},
  { id, address }: { id: string; address?: Address } = build,
): Served {
  const { id: buildId, name } = build
  return {
    id,
    serverName: name,
    placement: placementOf(build),
    ...(build.template === 'custom' && containedBy(rooms, { buildId, id: buildId })),
    scaling: PREVIEW_SCALING,
    idleMs: PREVIEW_IDLE_MS,
    answersAsleep: true,
    ...loadersOf(rooms, buildId),
    loadTenant: () => previewTenant(rooms, { id, buildId, given, address }),
  }
}

/** Of what is no deployment, only an image needs a container. */
function containedBy(
  rooms: Rooms,
  { buildId, id, config }: { buildId: string; id: string; config?: DeployConfig },
): Pick<Served, 'isContained' | 'provide'> {
  const warn = (message: string) => {
    const line = { timestamp: rooms.clock.now(), level: 'warn', stream: 'server', message } as const
    rooms.background.run(() => rooms.logs.append(id, line))
  }
  return {
    ...(config && { isContained: true }),
    async provide() {
      const build = getServedBuild(rooms, buildId)
      const artifact = loadArtifact(rooms, build)
      if (!config && artifact.program?.type !== 'image') return {}
      return {
        container: await provideContainer(rooms, { build, artifact, id, ...(config && { config }), warn }),
      }
    },
  }
}

/**
 * A program keeps its sessions in its memory, so load brings no instance that knows nothing of them: there are as many as
 * are asked for at least.
 */
function steadyScaling(
  rooms: Rooms,
  build: Build,
  { min, max, isContained }: { min: number; max: number; isContained: boolean },
) {
  const isSteady = max > Math.max(1, min) && isSteadyProgram(rooms, build, isContained)
  return { min, max: isSteady ? Math.max(1, min) : max }
}

/** See `steadyScaling`. */
export function isSteadyProgram(rooms: Rooms, build: Build, isContained: boolean): boolean {
  if (build.template !== 'custom' || !rooms.artifacts.has(build.digest ?? '')) return false
  const { program } = loadArtifact(rooms, build)
  return program !== undefined && (program.type !== 'module' || isContained)
}

/** Throws UNAVAILABLE when the build has no artifact or its file is damaged. */
export function loadArtifact(rooms: Rooms, build: Build): Artifact {
  if (build.digest !== null) return rooms.artifacts.load(build.digest)
  throw new HostingError('UNAVAILABLE', `Build ${build.id} has no artifact: it is ${build.status}.`)
}

/** Code of the user's never shares a process with another server. Without `deployment`: of a preview. */
export function placementOf(
  { template }: Pick<Build, 'template'>,
  deployment?: Deployment,
): Served['placement'] {
  if (template === 'custom' || deployment?.config.engine === 'container') return 'dedicated'
  return deployment ? ENVIRONMENT[deployment.environment].placement : 'shared'
}

function loadersOf(rooms: Rooms, buildId: string): Pick<Served, 'loadArtifact' | 'loadBundle'> {
  return {
    loadArtifact: () => loadArtifact(rooms, getServedBuild(rooms, buildId)),
    loadBundle() {
      const { digest, template } = getServedBuild(rooms, buildId)
      return digest === null || template !== 'custom' ? undefined : rooms.artifacts.loadBundle(digest)
    },
  }
}
