import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BuildPhase } from '../../shared/container-builds.ts'
import { HostingError } from '../../shared/errors.ts'
import { parseRepository } from '../builder/image/repository-address.ts'
import { readProject } from '../builder/project/read-project.ts'
import type { Build } from '../store/builds.ts'
import type { ContainerBuild } from '../store/container-builds.ts'
import type { Source } from '../store/sources.ts'
import type { Builds } from './builds.ts'
import type { MadeImage } from './images.ts'
import type { Rooms } from './rooms.ts'

export interface PhaseContext {
  build: ContainerBuild
  /** Aborts when it is stopped, or the daemon ends. */
  signal: AbortSignal
  /** Writes facts of the record down. */
  note(facts: Partial<ContainerBuild>): void
  /** A line of the log. */
  tell(phase: BuildPhase, message: string): Promise<void>
}

/** From the source to the pushed image. Throws what went wrong. */
export async function runPhases(rooms: Rooms, builds: Builds, context: PhaseContext): Promise<void> {
  const source = requireSource(rooms, context.build)
  const built = await buildServer(rooms, builds, source, context)
  await enter(context, 'IMAGE')
  const { signal } = context
  const wanted = rooms.store.projects.find(context.build.projectId)?.baseImage ?? undefined
  const images = await rooms.images()
  const { image, name, base } = await images.make(built, { base: wanted, signal })
  if (base.origin) await context.tell('IMAGE', `built upon ${base.origin.name} (${base.origin.digest})`)
  const { directory } = images.layout
  context.note({
    imageDigest: image.descriptor.digest,
    imageUri: `oci:${directory}:${name}`,
    imageRepository: `oci:${directory}`,
  })
  await context.tell('IMAGE', `made ${name}: ${image.descriptor.digest}`)
  if (rooms.registry.imageRepository) await push(rooms, context, { image, name, base })
}

/** DOWNLOAD_SOURCE, INSTALL and BUILD. */
async function buildServer(
  rooms: Rooms,
  builds: Builds,
  source: Source,
  context: PhaseContext,
): Promise<Build> {
  const { signal, build, note, tell } = context
  const folder = join(rooms.toolchain.workFolder, randomBytes(8).toString('hex'))
  try {
    await tell('DOWNLOAD_SOURCE', `unpacking ${source.digest.slice(0, 12)} (${source.sizeBytes} bytes)`)
    const directory = await rooms.archives.unpack(source, folder)
    signal.throwIfAborted()
    await enter(context, 'INSTALL')
    await rooms.toolchain.dependencies.provide(directory, signal)
    await enter(context, 'BUILD')
    const project = rooms.store.projects.find(build.projectId)!
    const request = readProject(directory, project.name)
    const code = request.template === 'custom' ? { source: source.id } : {}
    const { build: begun, done } = await builds.create(
      { ...request, ...code, project_id: build.projectId },
      signal,
    )
    note({ mcpId: begun.id })
    const built = await done
    signal.throwIfAborted()
    if (built.error)
      throw new HostingError('INVALID_MCP', built.error.message, { details: built.error.details })
    await tell(
      'BUILD',
      `built ${built.name}: ${built.tools.length} tools, ${built.resources.length} resources, ${built.prompts.length} prompts`,
    )
    return built
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function push(rooms: Rooms, context: PhaseContext, { image, name, base }: MadeImage): Promise<void> {
  await enter(context, 'PUSH')
  const [images, { pushImage }, { Registry }, { findCredentials }] = await Promise.all([
    rooms.images(),
    import('../builder/image/push.ts'),
    import('../builder/image/registry.ts'),
    import('../builder/image/registry-auth.ts'),
  ])
  const [server, tag] = name.split(':') as [string, string]
  const address = parseRepository(`${rooms.registry.imageRepository}/${server}`)
  const { dockerConfig } = rooms.registry
  const credentials = dockerConfig ? await findCredentials(dockerConfig, address.registry) : undefined
  const registry = new Registry(address, { credentials, signal: context.signal })
  const from = base.origin?.repository
  const ofBase =
    from?.registry === address.registry ? new Set(base.layers.map(({ digest }) => digest)) : undefined
  const mountFrom = (digest: string) =>
    ofBase?.has(digest) ? from?.repository : images.pushed.find(address, digest)
  await pushImage(registry, images.layout.blobs, image, tag, {
    mountFrom,
    onStep: line => context.tell('PUSH', line),
  })
  images.pushed.note(address, image)
  const repository = `${address.registry}/${address.repository}`
  context.note({ imageRepository: repository, imageUri: `${repository}:${tag}` })
}

async function enter({ signal, note, tell }: PhaseContext, phase: BuildPhase): Promise<void> {
  signal.throwIfAborted()
  note({ phase })
  await tell(phase, 'begins')
}

/** Only what was uploaded here can be read. */
function requireSource({ store }: Rooms, { sourceId, storageLocation }: ContainerBuild): Source {
  const source = sourceId === null ? undefined : store.sources.find(sourceId)
  if (source) return source
  throw new HostingError('NO_SOURCE', `The source ${storageLocation} cannot be read here.`, {
    details: 'Upload the source to the project: PUT /api/projects/{id}/source.',
  })
}
