import type { ContainerEngine, ContainerLimit } from '../../../shared/container-engine.ts'
import type { DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { Artifact } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ContainerLimits, TenantContainer } from '../../../shared/instances/tenant-container.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'

type ContainerDependencies = Pick<ServiceDependencies, 'containers' | 'images'>

/** Limits on a container unless its deployment sets others. */
const DEFAULT_LIMITS = { memory_mb: 512, pids: 256 }

/** A build to run in a container. */
export interface ContainerRequest {
  build: Build
  artifact: Artifact
  /** Id of the deployment or build. */
  id: string
  config?: DeployConfig
  /** Called when a default limit cannot be enforced here. */
  warn(message: string): void
}

/**
 * Prepares the image and returns the settings of its containers. Throws UNAVAILABLE without an engine or for a requested limit
 * that the engine cannot enforce, UPSTREAM_FAILED for an image that cannot be fetched, CONFLICT for an image that has changed
 * since the build, and INVALID_MCP for a build that cannot become an image.
 */
export async function prepareContainer(
  deps: ContainerDependencies,
  request: ContainerRequest,
): Promise<TenantContainer> {
  const { build, id, config = {}, warn } = request
  const engine = await deps.containers.require()
  const limits = limitsOf(engine, config.limits ?? {}, warn)
  const { image, isOwn } = await provideImage(deps, request)
  const { program } = request.artifact
  const user = program?.type === 'image' && !isOwn ? program.user : undefined
  const uid = await deps.containers.userOf(image, user)
  return {
    engine: engine.name,
    file: engine.file,
    env: deps.containers.env,
    image,
    isOwn,
    ...(uid !== undefined && { uid }),
    labels: deps.containers.labels(build.name, id),
    limits,
  }
}

/**
 * Sets the engine in the configuration. Without a container, throws INVALID_REQUEST for an image and for limits that need one.
 * With a container, throws it for `network`.
 */
export function resolveEngine(artifact: Artifact | undefined, config: DeployConfig): DeployConfig {
  const ofImage = artifact?.program?.type === 'image' ? artifact.program : undefined
  const image = config.image ?? ofImage?.image
  const engine = config.engine ?? (image === undefined ? undefined : 'container')
  if (engine === 'container') {
    rejectNetwork(config)
    return { ...config, engine, ...(image !== undefined && { image }) }
  }
  if (image !== undefined)
    throw new HostingError('INVALID_REQUEST', `The image ${image} can only run in a container.`, {
      details: 'Set config.engine to "container", or omit it.',
    })
  const isProgram = artifact?.program && artifact.program.type !== 'module'
  if (!isProgram && (config.limits?.cpus !== undefined || config.limits?.pids !== undefined))
    throw new HostingError(
      'INVALID_REQUEST',
      'config.limits.cpus and config.limits.pids only apply to programs and containers.',
      {
        details: 'Set config.engine to "container" to run the deployment in containers (mcp deploy --image).',
      },
    )
  return config
}

/** Throws INVALID_REQUEST for `network`, because nothing would enforce it for a container. */
function rejectNetwork({ network }: DeployConfig): void {
  if (network !== undefined)
    throw new HostingError('INVALID_REQUEST', 'config.network cannot be enforced for containers.', {
      details: 'Omit it and restrict the network of the container engine, or deploy without --image.',
    })
}

async function provideImage(
  { containers, images }: ContainerDependencies,
  { build, artifact, config = {} }: ContainerRequest,
): Promise<{ image: string; isOwn: boolean }> {
  const { program } = artifact
  if (program?.type === 'image' && program.id && [undefined, program.image].includes(config.image))
    return { image: await pinImage(containers, program.image, program.id), isOwn: false }
  if (config.image !== undefined) return { image: await containers.pull(config.image), isOwn: false }
  const builder = await images()
  const own = await builder.make(build)
  const image = `localhost/mcp-hosting/${own.name}-${own.image.descriptor.digest.slice(7, 19)}`
  await containers.provide(image, () => builder.archiveAs(own.image, image))
  return { image, isOwn: true }
}

/** Id of the image that the build was made with, even if the name now refers to another image. */
async function pinImage(
  containers: ServiceDependencies['containers'],
  image: string,
  id: string,
): Promise<string> {
  if (await containers.has(id)) return id
  if ((await containers.pull(image)) === id) return id
  throw new HostingError(
    'CONFLICT',
    `The image ${image} has changed since this version was built with ${id}.`,
    {
      details: 'The engine no longer has the old image. Deploy the image again to create a new version.',
    },
  )
}

function limitsOf(
  { name, withoutLimits }: ContainerEngine,
  given: NonNullable<DeployConfig['limits']>,
  warn: (message: string) => void,
): ContainerLimits {
  const { memory_mb, cpus, pids } = { ...DEFAULT_LIMITS, ...given }
  const wanted: Record<ContainerLimit, number | undefined> = { memory: memory_mb, cpu: cpus, pids }
  const requested: Record<ContainerLimit, number | undefined> = {
    memory: given.memory_mb,
    cpu: given.cpus,
    pids: given.pids,
  }
  for (const limit of withoutLimits) {
    if (wanted[limit] === undefined) continue
    const problem = `${name} cannot limit ${limit} here, because its user lacks that cgroup controller`
    if (requested[limit] !== undefined)
      throw new HostingError('UNAVAILABLE', `${problem}.`, {
        details: 'Let systemd delegate it (Delegate=memory pids cpu), or deploy without that limit.',
      })
    warn(`${problem}. The container runs without that limit`)
    wanted[limit] = undefined
  }
  return {
    ...(wanted.memory !== undefined && { memoryMb: wanted.memory }),
    ...(wanted.cpu !== undefined && { cpus: wanted.cpu }),
    ...(wanted.pids !== undefined && { pids: wanted.pids }),
  }
}
