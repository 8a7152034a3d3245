import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifact, DescribedServer, Program } from '../../../shared/definitions/artifact.ts'
import type {
  BuildRequest,
  ImageDefinition,
  ProgramDefinition,
} from '../../../shared/definitions/definitions.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { TenantContainer } from '../../../shared/instances/tenant-container.ts'
import { type BuiltArtifact, buildArtifact } from '../../builder/build-artifact.ts'
import { digestOf } from '../../builder/digest.ts'
import { parseNpx } from '../../builder/program/npx-command.ts'
import { toProgramError } from '../../builder/program/program-error.ts'
import { bundleProject } from '../../builder/project/bundle.ts'
import { findModules } from '../../builder/project/find-modules.ts'
import { toLoadError } from '../../builder/project/load-error.ts'
import { mergeDescribed } from '../../builder/project/merge-described.ts'
import { parseModuleDefinitions, prepareValidation } from '../../builder/project/module-definitions.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Source } from '../../store/tables/sources.ts'
import { Semaphore } from '../concurrency.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { describingTenant } from '../serving/tenants.ts'
import { prepareContainer } from './containers.ts'
import { resolveMounts } from './mounts.ts'

/** Modules load quickly. A program may be downloaded first, for example by `uvx`. */
const LOAD_TIMEOUT_MS = { module: 15_000, program: 180_000 }

/** Each build runs a process that loads the code. Programs mostly wait, for example for npm. */
const CONCURRENCY = { module: 4, program: 8 }

/** Phase in which the code starts. A program that is not an npm package may be downloaded during it. */
const START_PHASE = 'starting it and asking what it offers'

export interface CodeBuildWork {
  source: Source | undefined
  /** Aborts the build. */
  stopped: AbortSignal | undefined
  /** Called when a phase begins. */
  onPhase(phase: string): void
}

export type CodeBuildDependencies = Pick<
  ServiceDependencies,
  | 'archives'
  | 'artifacts'
  | 'background'
  | 'containers'
  | 'images'
  | 'packages'
  | 'programSources'
  | 'programs'
  | 'secrets'
  | 'supervisor'
  | 'toolchain'
>

/** Builds of custom servers. Bundles source code, then loads the code to find what it defines. */
export class CodeBuilds {
  readonly #deps: CodeBuildDependencies
  readonly #modules = new Semaphore(CONCURRENCY.module)
  readonly #programs = new Semaphore(CONCURRENCY.program)

  constructor(deps: CodeBuildDependencies) {
    this.#deps = deps
  }

  /**
   * Builds the artifact of a request with a program or a source. Throws INVALID_MCP for code that cannot be bundled, loaded
   * or served, TIMEOUT for code that does not load in time, and UPSTREAM_FAILED when dependencies cannot be fetched.
   */
  async make(build: Build, request: BuildRequest, work: CodeBuildWork): Promise<BuiltArtifact> {
    const { program } = request
    if (program?.type === 'image')
      return this.#programs.run(() => this.#makeImage(build, request, { ...work, given: program }))
    if (program) return this.#programs.run(() => this.#makeProgram(build, { ...request, program }, work))
    const source = work.source!
    const cached = this.#findCached(source, request)
    return cached ?? this.#modules.run(() => this.#makeModule(build, request, { ...work, source }))
  }

  #findCached(source: Source, request: BuildRequest): BuiltArtifact | undefined {
    const { artifacts, toolchain } = this.#deps
    const digest = toolchain.cache.find(source.digest, request)
    if (digest === undefined || !artifacts.has(digest)) return undefined
    const artifact = artifacts.load(digest)
    return { artifact, digest, bytes: JSON.stringify(artifact), bundle: artifacts.loadBundle(digest) }
  }

  async #makeModule(
    build: Build,
    request: BuildRequest,
    { source, ...work }: CodeBuildWork & { source: Source },
  ): Promise<BuiltArtifact> {
    const folder = join(this.#deps.toolchain.workFolder, randomBytes(8).toString('hex'))
    try {
      // In the first build of a daemon, the process that loads the code starts while the source is bundled.
      this.#deps.background.run(() => this.#deps.supervisor.prepareModules())
      const directory = await this.#deps.archives.unpack(source, folder)
      const made = await this.#bundleAndDescribe(build, request, { ...work, directory })
      this.#deps.toolchain.cache.remember(source.digest, request, made.digest)
      return made
    } finally {
      // The client does not wait for the removal. After a crash, the next daemon removes the folder.
      this.#deps.background.run(() => rm(folder, { recursive: true, force: true }))
    }
  }

  async #bundleAndDescribe(
    build: Build,
    request: BuildRequest,
    { directory, stopped, onPhase }: Omit<CodeBuildWork, 'source'> & { directory: string },
  ): Promise<BuiltArtifact> {
    const modules = findModules(directory, request)
    if (modules.length === 0) throw noDefinitions()
    const { dependencies, sdk } = this.#deps.toolchain
    onPhase('installing its packages')
    await dependencies.provide(directory, stopped)
    onPhase('bundling its code')
    const bundle = await bundleProject({ directory, modules, sdk })
    const program = { type: 'module' as const, bundle: digestOf(bundle) }
    const { artifact } = buildArtifact(request, { program })
    onPhase(START_PHASE)
    const describing = this.#describe(build, artifact, { bundle, env: request.env_vars, stopped })
    prepareValidation()
    const described = await describing.catch(error => {
      throw toLoadError(error, directory)
    })
    const merged = parseModuleDefinitions(mergeDescribed(request, described), modules)
    return { ...buildArtifact(merged, { ...described, program }), bundle }
  }

  async #makeProgram(
    build: Build,
    request: BuildRequest & { program: ProgramDefinition },
    { source, stopped, onPhase }: CodeBuildWork,
  ): Promise<BuiltArtifact> {
    onPhase('installing its packages')
    if (source) await this.#deps.programSources.provide(source)
    const npx = parseNpx(request.program)
    const program = {
      ...request.program,
      ...(source && { source: source.digest }),
      ...(npx && { package: await this.#deps.packages.install(npx, stopped) }),
    }
    const { artifact } = buildArtifact(request, { program })
    onPhase(START_PHASE)
    const described = await this.#describe(build, artifact, { env: request.env_vars, stopped })
      .catch(error => {
        throw toProgramError(error)
      })
      .finally(() => this.#deps.programs.remove(build.name, build.id))
    const { tools, resources, prompts } = described
    return buildArtifact(
      { ...request, tools, resources, prompts },
      { ...described, program: withChildren(program, described.children) },
    )
  }

  /** Pins the image that the name currently refers to. */
  async #makeImage(
    build: Build,
    request: BuildRequest,
    { given, stopped, onPhase }: CodeBuildWork & { given: ImageDefinition },
  ): Promise<BuiltArtifact> {
    await this.#deps.containers.require()
    const { hidden } = this.#deps.programs.place(build.name, build.id)
    const mounts = given.mounts && resolveMounts(given.mounts, hidden)
    onPhase(`pulling ${given.image}`)
    const id = await this.#deps.containers.pull(given.image)
    const program = { ...given, id, ...(mounts && { mounts }) }
    const { artifact } = buildArtifact(request, { program })
    const container = await prepareContainer(this.#deps, { build, artifact, id: build.id, warn() {} })
    onPhase(START_PHASE)
    const described = await this.#describe(build, artifact, {
      env: request.env_vars,
      container,
      stopped,
    }).catch(error => {
      throw toProgramError(error)
    })
    const { tools, resources, prompts, transport, children } = described
    const found = {
      ...program,
      ...(transport && { transport }),
      ...(transport === 'stdio' && { isolation: given.isolation ?? children }),
    }
    return buildArtifact({ ...request, tools, resources, prompts }, { ...described, program: found })
  }

  #describe(
    build: Build,
    artifact: Artifact,
    { bundle, env, container, stopped }: DescribeOptions,
  ): Promise<DescribedServer> {
    const timeoutMs = bundle === undefined ? LOAD_TIMEOUT_MS.program : LOAD_TIMEOUT_MS.module
    const tenant = {
      ...describingTenant(this.#deps, build, artifact, env),
      ...(container && { container }),
    }
    return this.#deps.supervisor.describe(tenant, { artifact, bundle }, { timeoutMs, stopped })
  }
}

interface DescribeOptions {
  bundle?: string
  env?: Record<string, string> | undefined
  container?: TenantContainer
  stopped?: AbortSignal | undefined
}

/** Allows the child processes that the program needs, unless the request sets `children`. */
function withChildren(program: ServedProgram, needed: DescribedServer['children']): ServedProgram {
  const { isolation } = program
  const { children = needed, ...rest } = typeof isolation === 'object' ? isolation : { children: isolation }
  return needed ? { ...program, isolation: { sandbox: 'auto', ...rest, children } } : program
}

type ServedProgram = Exclude<Program, { type: 'module' | 'image' }>

function noDefinitions(): HostingError {
  return new HostingError('INVALID_MCP', 'The source defines no tool, resource or prompt.', {
    details:
      'Put one definition per file into tools/, resources/ or prompts/ (.ts, .mts, .js, .mjs), or name modules as handlers in the project file.',
  })
}
