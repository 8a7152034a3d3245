import type { Artifact } from '../../shared/artifact.ts'
import type { DeployConfig } from '../../shared/deployments.ts'
import { HostingError } from '../../shared/errors.ts'
import type { Tenant, TenantAuth } from '../../shared/instance-protocol.ts'
import type { Served } from '../runtime/supervisor.ts'
import type { Address } from '../store/addresses.ts'
import type { Build } from '../store/builds.ts'
import type { Deployment } from '../store/deployments.ts'
import { mcpUrl } from './addresses.ts'
import { provideContainer } from './containers.ts'
import { tenantEnv } from './deployment-env.ts'
import { readEnv } from './deployment-secrets.ts'
import { ENVIRONMENT, idleSeconds, logLevel, memoryMb, scalingOf } from './environments.ts'
import type { Rooms } from './rooms.ts'

/** A preview sleeps after this time. */
const PREVIEW_IDLE_MS = 5 * 60_000
const PREVIEW_SCALING = { min: 0, max: 1 }

/**
 * A deployment as the runtime takes it. What its instances need is read when one is started: a restart of the daemon with
 * thousands of sleeping servers opens no file of theirs, and they take no memory here. Throws UNAVAILABLE when its variables
 * cannot be decrypted.
 */
export async function servedDeployment(rooms: Rooms, deployment: Deployment): Promise<Served> {
  const build = findBuild(rooms, deployment.mcpId)
  const { id, config } = deployment
  const idle = idleSeconds(deployment)
  const auth = config.auth && (await rooms.signIns.tenantAuth(deployment))
  const isContained = config.engine === 'container'
  readEnv(rooms.secrets, deployment)
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

/** The preview of a build: asleep until somebody connects. `id`: another one than the build's, served at `port`. */
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

function deploymentTenant(rooms: Rooms, id: string, auth: TenantAuth | undefined): Tenant {
  const deployment = rooms.store.deployments.find(id)
  const address = deployment && rooms.addresses.find(deployment.name, deployment.environment)
  if (!deployment || !address) throw removedMeanwhile('deployment', id)
  const build = findBuild(rooms, deployment.mcpId)
  const { config } = deployment
  return {
    ...tenantBase(rooms, id, address, build),
    // Two even of one, while a restart puts a new one in its place.
    hasSiblings: true,
    env: tenantEnv(build, readEnv(rooms.secrets, deployment)),
    allowPrivateNetwork: config.allow_private_network ?? false,
    logLevel: logLevel(deployment),
    ...(config.timeout_seconds !== undefined && { handlerTimeoutMs: config.timeout_seconds * 1000 }),
    ...(auth && { auth }),
  }
}

function previewTenant(
  rooms: Rooms,
  preview: { id: string; buildId: string; given: Record<string, string>; address: Address | undefined },
): Tenant {
  const build = findBuild(rooms, preview.buildId)
  const address = preview.address ?? rooms.addresses.find(build.name, 'preview')
  if (!address) throw removedMeanwhile('preview', preview.id)
  return {
    ...tenantBase(rooms, preview.id, address, build),
    env: tenantEnv(build, preview.given),
    // The same over all builds, so that sessions go on with the next one.
    stateKey: rooms.secrets.derive(`state preview ${build.name}`),
    isPreview: true,
    allowPrivateNetwork: false,
    logLevel: 'debug',
  }
}

function findBuild({ store }: Rooms, id: string): Build {
  const build = store.builds.find(id)
  if (build) return build
  throw removedMeanwhile('build', id)
}

function removedMeanwhile(what: string, id: string): HostingError {
  return new HostingError('NOT_FOUND', `The ${what} ${id} was removed; it cannot be started.`)
}

/** What is to be described is served to nobody: it has no address, and of its variables what the build request gives. */
export function describingTenant(
  rooms: Pick<Rooms, 'secrets' | 'programs' | 'programSources'>,
  build: Build,
  { env }: Artifact,
  given: Record<string, string> = {},
): Tenant {
  return {
    id: build.id,
    serverName: build.name,
    url: 'http://127.0.0.1/mcp',
    allowedHosts: [],
    allowedOrigins: [],
    env: tenantEnv({ ...build, env }, given),
    allowPrivateNetwork: false,
    logLevel: 'info',
    stateKey: rooms.secrets.derive(`state ${build.id}`),
    program: programPlace(rooms, build, build.id),
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
      const build = findBuild(rooms, buildId)
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
    loadArtifact: () => loadArtifact(rooms, findBuild(rooms, buildId)),
    loadBundle() {
      const { digest, template } = findBuild(rooms, buildId)
      return digest === null || template !== 'custom' ? undefined : rooms.artifacts.loadBundle(digest)
    },
  }
}

function tenantBase(rooms: Rooms, id: string, address: Address, build: Build) {
  return {
    id,
    serverName: address.server,
    url: mcpUrl(address),
    allowedHosts: [`127.0.0.1:${address.port}`, `localhost:${address.port}`],
    allowedOrigins: [],
    // The same over all releases, so that sessions go on with the next one.
    stateKey: rooms.secrets.derive(`state ${address.server}/${address.slot}`),
    ...(build.template === 'custom' && { program: programPlace(rooms, build, address.slot) }),
  }
}

/** `slot`: of the server's address, or the build while it is described. */
function programPlace(
  { programs, programSources }: Pick<Rooms, 'programs' | 'programSources'>,
  { name, sourceDigest }: Build,
  slot: string,
): Tenant['program'] {
  const source = sourceDigest === null ? {} : { source: programSources.folder(sourceDigest) }
  return { ...programs.place(name, slot), ...source }
}
