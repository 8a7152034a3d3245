import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BuildPhase } from '../../../shared/contract/states.ts'
import { counted } from '../../../shared/counted.ts'
import { type ErrorCode, HostingError } from '../../../shared/errors.ts'
import { parseRepository } from '../../builder/image/repository-address.ts'
import { readProject } from '../../builder/project/read-project.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { ContainerBuild } from '../../store/tables/container-builds.ts'
import type { Source } from '../../store/tables/sources.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { Builds } from './builds.ts'
import type { BuiltImage } from './images.ts'

export type PhaseDependencies = Pick<
  ServiceDependencies,
  'archives' | 'images' | 'registry' | 'store' | 'toolchain'
>

export interface PhaseContext {
  build: ContainerBuild
  /** Aborts when the build is stopped or the daemon closes. */
  signal: AbortSignal
  update(fields: Partial<ContainerBuild>): void
  /** Writes a line to the log. */
  log(phase: BuildPhase, message: string): Promise<void>
}

/** Runs all phases, from the source to the pushed image. Throws when a phase fails. */
export async function runPhases(
  deps: PhaseDependencies,
  builds: Builds,
  context: PhaseContext,
): Promise<void> {
  const source = requireSource(deps, context.build)
  const built = await buildServer(deps, builds, source, context)
  await enter(context, 'IMAGE')
  const { signal } = context
  const wanted = deps.store.projects.find(context.build.projectId)?.baseImage ?? undefined
  const images = await deps.images()
  const { image, name, base } = await images.make(built, { base: wanted, signal })
  if (base.origin) await context.log('IMAGE', `using base ${base.origin.name} (${base.origin.digest})`)
  const { directory } = images.layout
  context.update({
    imageDigest: image.descriptor.digest,
    imageUri: `oci:${directory}:${name}`,
    imageRepository: `oci:${directory}`,
  })
  await context.log('IMAGE', `created ${name}: ${image.descriptor.digest}`)
  if (deps.registry.imageRepository) await push(deps, context, { image, name, base })
}

/** Runs the phases DOWNLOAD_SOURCE, INSTALL and BUILD. */
async function buildServer(
  deps: Pick<ServiceDependencies, 'archives' | 'store' | 'toolchain'>,
  builds: Builds,
  source: Source,
  context: PhaseContext,
): Promise<Build> {
  const { signal, build, update, log } = context
  const folder = join(deps.toolchain.workFolder, randomBytes(8).toString('hex'))
  try {
    await log('DOWNLOAD_SOURCE', `unpacking ${source.digest.slice(0, 12)} (${source.sizeBytes} bytes)`)
    const directory = await deps.archives.unpack(source, folder)
    signal.throwIfAborted()
    await enter(context, 'INSTALL')
    await deps.toolchain.dependencies.provide(directory, signal)
    await enter(context, 'BUILD')
    const project = deps.store.projects.find(build.projectId)!
    const request = readProject(directory, project.name)
    const code = request.template === 'custom' ? { source: source.id } : {}
    const { build: started, done } = await builds.create(
      { ...request, ...code, project_id: build.projectId },
      { stopped: signal },
    )
    update({ mcpId: started.id })
    const built = await done
    signal.throwIfAborted()
    if (built.error) {
      const { code, message, details } = built.error
      throw new HostingError(code as ErrorCode, message, { details })
    }
    await log(
      'BUILD',
      `built ${built.name}: ${counted(built.tools.length, 'tool')}, ${counted(built.resources.length, 'resource')}, ${counted(built.prompts.length, 'prompt')}`,
    )
    return built
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function push(
  deps: Pick<ServiceDependencies, 'images' | 'registry'>,
  context: PhaseContext,
  { image, name, base }: BuiltImage,
): Promise<void> {
  await enter(context, 'PUSH')
  const [images, { pushImage }, { Registry }, { findCredentials }] = await Promise.all([
    deps.images(),
    import('../../builder/image/push.ts'),
    import('../../builder/image/registry.ts'),
    import('../../builder/image/registry-auth.ts'),
  ])
  const [server, tag] = name.split(':') as [string, string]
  const address = parseRepository(`${deps.registry.imageRepository}/${server}`)
  const { dockerConfig } = deps.registry
  const credentials = dockerConfig ? await findCredentials(dockerConfig, address.registry) : undefined
  const registry = new Registry(address, { credentials, signal: context.signal })
  const from = base.origin?.repository
  const ofBase =
    from?.registry === address.registry ? new Set(base.layers.map(({ digest }) => digest)) : undefined
  const mountFrom = (digest: string) =>
    ofBase?.has(digest) ? from?.repository : images.pushed.find(address, digest)
  await pushImage(registry, images.layout.blobs, image, tag, {
    mountFrom,
    onStep: line => context.log('PUSH', line),
  })
  images.pushed.note(address, image)
  const repository = `${address.registry}/${address.repository}`
  context.update({ imageRepository: repository, imageUri: `${repository}:${tag}` })
}

async function enter({ signal, update, log }: PhaseContext, phase: BuildPhase): Promise<void> {
  signal.throwIfAborted()
  update({ phase })
  await log(phase, 'started')
}

/** Throws NO_SOURCE if the source was removed while the build was pending. */
function requireSource(
  { store }: Pick<ServiceDependencies, 'store'>,
  { sourceId, storageLocation }: ContainerBuild,
): Source {
  const source = sourceId === null ? undefined : store.sources.find(sourceId)
  if (source) return source
  throw new HostingError(
    'NO_SOURCE',
    `The daemon no longer has the source ${storageLocation} of the build.`,
    {
      details: 'Upload the source to the project: mcp projects upload, or PUT /api/projects/{id}/source.',
    },
  )
}
