import type { Artifact } from '../../shared/artifact.ts'
import type { ContainerEngine, ContainerLimit } from '../../shared/container-engine.ts'
import type { DeployConfig } from '../../shared/deploy-config.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ContainerLimits, TenantContainer } from '../../shared/instance-protocol.ts'
import type { Build } from '../store/builds.ts'
import type { Rooms } from './rooms.ts'

type ContainerRooms = Pick<Rooms, 'containers' | 'images'>

/** Of a container whose deployment says nothing else. */
const DEFAULT_LIMITS = { memory_mb: 512, pids: 256 }

/** What runs in a container, and for whom. */
export interface Contained {
  build: Build
  artifact: Artifact
  /** Deployment or build. */
  id: string
  config?: DeployConfig
  /** A default limit cannot be held here. */
  warn(message: string): void
}

/**
 * Makes the image ready and says how a container of it runs. Throws UNAVAILABLE without an engine or for a limit that it
 * cannot hold, UPSTREAM_FAILED for an image that cannot be fetched, INVALID_MCP for what no image is made of.
 */
export async function provideContainer(
  rooms: ContainerRooms,
  contained: Contained,
): Promise<TenantContainer> {
  const { build, id, config = {}, warn } = contained
  const engine = await rooms.containers.require()
  const limits = limitsOf(engine, config.limits ?? {}, warn)
  const { image, isOwn } = await provideImage(rooms, contained)
  return {
    engine: engine.name,
    file: engine.file,
    env: rooms.containers.env,
    image,
    isOwn,
    labels: rooms.containers.labels(build.name, id),
    limits,
  }
}

/** Throws INVALID_REQUEST for settings of containers where there is none, and for an image that is to run without one. */
export function checkEngine(artifact: Artifact | undefined, config: DeployConfig): DeployConfig {
  const ofImage = artifact?.program?.type === 'image' ? artifact.program : undefined
  const image = config.image ?? ofImage?.image
  const engine = config.engine ?? (image === undefined ? undefined : 'container')
  if (engine === 'container') {
    refuseNetwork(config)
    return { ...config, engine, ...(image !== undefined && { image }) }
  }
  if (image !== undefined)
    throw new HostingError('INVALID_REQUEST', `The image ${image} runs in a container only.`, {
      details: 'config.engine: "container", or leave it out',
    })
  const isProgram = artifact?.program && artifact.program.type !== 'module'
  if (!isProgram && (config.limits?.cpus !== undefined || config.limits?.pids !== undefined))
    throw new HostingError(
      'INVALID_REQUEST',
      'config.limits.cpus and config.limits.pids limit programs and containers only.',
      {
        details: 'config.engine: "container" runs the deployment in containers (mcp deploy --image)',
      },
    )
  return config
}

/** A list that nothing enforces would be worse than none. */
function refuseNetwork({ network }: DeployConfig): void {
  if (network !== undefined)
    throw new HostingError('INVALID_REQUEST', 'config.network cannot be enforced for containers.', {
      details: 'Leave it out and restrict the network of the container engine, or deploy without --image.',
    })
}

async function provideImage(
  { containers, images }: ContainerRooms,
  { build, artifact, config = {} }: Contained,
): Promise<{ image: string; isOwn: boolean }> {
  const { program } = artifact
  if (program?.type === 'image' && program.id && [undefined, program.image].includes(config.image))
    return { image: await pinned(containers, program.image, program.id), isOwn: false }
  if (config.image !== undefined) return { image: await containers.pull(config.image), isOwn: false }
  const made = await images()
  const own = await made.make(build)
  const image = `localhost/mcp-hosting/${own.name}-${own.image.descriptor.digest.slice(7, 19)}`
  await containers.provide(image, () => made.archiveAs(own.image, image))
  return { image, isOwn: true }
}

/** A version is what its image was when it was built, wherever the name leads now. */
async function pinned(containers: Rooms['containers'], image: string, id: string): Promise<string> {
  if (await containers.has(id)) return id
  if ((await containers.pull(image)) === id) return id
  throw new HostingError(
    'CONFLICT',
    `The image ${image} is not the one that this version was built of (${id}).`,
    {
      details: 'The engine has the old one no more. Deploy the image again: that makes a new version.',
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
  const asked: Record<ContainerLimit, number | undefined> = {
    memory: given.memory_mb,
    cpu: given.cpus,
    pids: given.pids,
  }
  for (const limit of withoutLimits) {
    if (wanted[limit] === undefined) continue
    const sentence = `${name} cannot limit ${limit} here: its user has not got that cgroup controller`
    if (asked[limit] !== undefined)
      throw new HostingError('UNAVAILABLE', `${sentence}.`, {
        details: 'Have systemd delegate it (Delegate=memory pids cpu), or deploy without that limit.',
      })
    warn(`${sentence}; the container runs without that limit`)
    wanted[limit] = undefined
  }
  return {
    ...(wanted.memory !== undefined && { memoryMb: wanted.memory }),
    ...(wanted.cpu !== undefined && { cpus: wanted.cpu }),
    ...(wanted.pids !== undefined && { pids: wanted.pids }),
  }
}
