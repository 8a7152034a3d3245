import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifact, Described, Program } from '../../shared/artifact.ts'
import type { BuildRequest, ImageDefinition, ProgramDefinition } from '../../shared/definitions.ts'
import { HostingError } from '../../shared/errors.ts'
import type { TenantContainer } from '../../shared/instance-protocol.ts'
import { type BuiltArtifact, buildArtifact } from '../builder/build-artifact.ts'
import { digestOf } from '../builder/digest.ts'
import { parseNpx } from '../builder/program/npx-command.ts'
import { toProgramError } from '../builder/program/program-error.ts'
import { bundleProject } from '../builder/project/bundle.ts'
import { findModules } from '../builder/project/find-modules.ts'
import { toLoadError } from '../builder/project/load-error.ts'
import { mergeDescribed } from '../builder/project/merge-described.ts'
import { parseModuleDefinitions, prepareValidation } from '../builder/project/module-definitions.ts'
import type { Build } from '../store/builds.ts'
import type { Source } from '../store/sources.ts'
import { provideContainer } from './containers.ts'
import type { Rooms } from './rooms.ts'
import { describingTenant } from './tenants.ts'
import { Slots } from './turns.ts'

/** Importing modules is quick; a program may have to be fetched first, as `npx -y` does. */
const LOAD_TIMEOUT_MS = { module: 15_000, program: 180_000 }

/** Each has a process that loads the code. Programs wait for others, such as npm, more than they work. */
const BUILT_AT_ONCE = { module: 4, program: 8 }

/** Builds of custom servers: their code is bundled where it is source, and asked what it defines. */
export class CodeBuilds {
  readonly #rooms: Rooms
  readonly #modules = new Slots(BUILT_AT_ONCE.module)
  readonly #programs = new Slots(BUILT_AT_ONCE.program)

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  /**
   * The artifact of a request with a program or a source. Throws INVALID_MCP for code that cannot be bundled, loaded or
   * served, TIMEOUT for code that does not load in time, UPSTREAM_FAILED when dependencies cannot be fetched.
   */
  async make(
    build: Build,
    request: BuildRequest,
    { source, stopped }: { source: Source | undefined; stopped?: AbortSignal | undefined },
  ): Promise<BuiltArtifact> {
    const { program } = request
    if (program?.type === 'image') return this.#programs.run(() => this.#makeImage(build, request, program))
    if (program) return this.#programs.run(() => this.#makeProgram(build, { ...request, program }, source))
    const remembered = this.#remembered(source!, request)
    return (
      remembered ?? this.#modules.run(() => this.#makeModule(build, request, { source: source!, stopped }))
    )
  }

  #remembered(source: Source, request: BuildRequest): BuiltArtifact | undefined {
    const { artifacts, toolchain } = this.#rooms
    const digest = toolchain.memory.find(source.digest, request)
    if (digest === undefined || !artifacts.has(digest)) return undefined
    const artifact = artifacts.load(digest)
    return { artifact, digest, bytes: JSON.stringify(artifact), bundle: artifacts.loadBundle(digest) }
  }

  async #makeModule(
    build: Build,
    request: BuildRequest,
    { source, stopped }: { source: Source; stopped: AbortSignal | undefined },
  ): Promise<BuiltArtifact> {
    const folder = join(this.#rooms.toolchain.workFolder, randomBytes(8).toString('hex'))
    try {
      const directory = await this.#rooms.archives.unpack(source, folder)
      const made = await this.#bundleAndDescribe(build, request, { directory, stopped })
      this.#rooms.toolchain.memory.remember(source.digest, request, made.digest)
      return made
    } finally {
      // Nobody waits for that; what a crash leaves goes with the next start.
      this.#rooms.background.run(() => rm(folder, { recursive: true, force: true }))
    }
  }

  async #bundleAndDescribe(
    build: Build,
    request: BuildRequest,
    { directory, stopped }: { directory: string; stopped: AbortSignal | undefined },
  ): Promise<BuiltArtifact> {
    const modules = findModules(directory, request)
    if (modules.length === 0) throw nothingFound()
    const { dependencies, sdk } = this.#rooms.toolchain
    await dependencies.provide(directory, stopped)
    const bundle = await bundleProject({ directory, modules, sdk })
    const program = { type: 'module' as const, bundle: digestOf(bundle) }
    const { artifact } = buildArtifact(request, { program })
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
    source: Source | undefined,
  ): Promise<BuiltArtifact> {
    if (source) await this.#rooms.programSources.provide(source)
    const npx = parseNpx(request.program)
    const program = {
      ...request.program,
      ...(source && { source: source.digest }),
      ...(npx && { package: await this.#rooms.packages.install(npx) }),
    }
    const { artifact } = buildArtifact(request, { program })
    const described = await this.#describe(build, artifact, { env: request.env_vars })
      .catch(error => {
        throw toProgramError(error)
      })
      .finally(() => this.#rooms.programs.remove(build.name, build.id))
    const { tools, resources, prompts } = described
    return buildArtifact(
      { ...request, tools, resources, prompts },
      { ...described, program: withChildren(program, described.children) },
    )
  }

  /** Whatever the name means now is what this version runs. */
  async #makeImage(build: Build, request: BuildRequest, given: ImageDefinition): Promise<BuiltArtifact> {
    await this.#rooms.containers.require()
    const program = { ...given, id: await this.#rooms.containers.pull(given.image) }
    const { artifact } = buildArtifact(request, { program })
    const container = await provideContainer(this.#rooms, { build, artifact, id: build.id, warn() {} })
    const described = await this.#describe(build, artifact, { env: request.env_vars, container }).catch(
      error => {
        throw toProgramError(error)
      },
    )
    const { tools, resources, prompts } = described
    return buildArtifact({ ...request, tools, resources, prompts }, { ...described, program })
  }

  #describe(
    build: Build,
    artifact: Artifact,
    { bundle, env, container, stopped }: Describing,
  ): Promise<Described> {
    const timeoutMs = bundle === undefined ? LOAD_TIMEOUT_MS.program : LOAD_TIMEOUT_MS.module
    const tenant = {
      ...describingTenant(this.#rooms, build, artifact, env),
      ...(container && { container }),
    }
    return this.#rooms.supervisor.describe(tenant, { artifact, bundle }, { timeoutMs, stopped })
  }
}

interface Describing {
  bundle?: string
  env?: Record<string, string> | undefined
  container?: TenantContainer
  stopped?: AbortSignal | undefined
}

/** What the request leaves open is as the program needs it. */
function withChildren(program: ServedProgram, needed: Described['children']): ServedProgram {
  const { isolation } = program
  const { children = needed, ...rest } = typeof isolation === 'object' ? isolation : { children: isolation }
  return needed ? { ...program, isolation: { sandbox: 'auto', ...rest, children } } : program
}

type ServedProgram = Exclude<Program, { type: 'module' | 'image' }>

function nothingFound(): HostingError {
  return new HostingError('INVALID_MCP', 'The source defines nothing: no tool, resource or prompt.', {
    details:
      'Put one definition a file into tools/, resources/ or prompts/ (.ts, .mts, .js, .mjs), or name modules as handlers in the project file.',
  })
}
