import type { Readable } from 'node:stream'
import type { Artifact } from '../../shared/artifact.ts'
import type { BuildRequest } from '../../shared/definitions.ts'
import { HostingError, toHostingError } from '../../shared/errors.ts'
import type { Failure } from '../../shared/fields.ts'
import { createId } from '../../shared/ids.ts'
import { Lazy } from '../../shared/lazy.ts'
import { BUILD_TRANSITIONS, type BuildState, canMove } from '../../shared/states.ts'
import type { BuiltArtifact } from '../builder/build-artifact.ts'
import type { Build, BuildFilter } from '../store/builds.ts'
import type { Source } from '../store/sources.ts'
import type { CodeBuilds } from './code-builds.ts'
import type { ImageRequest } from './images.ts'
import type { Previews } from './previews.ts'
import type { Rooms } from './rooms.ts'
import { loadArtifact } from './served.ts'
import { dropUnusedArchive, dropUnusedArtifact } from './source-retention.ts'
import { getSource } from './sources.ts'

export class Builds {
  readonly #rooms: Rooms
  readonly #previews: Previews
  /** With all that bundles, installs and describes, which an idle daemon has no use for. */
  readonly #code: Lazy<CodeBuilds>

  constructor(rooms: Rooms, previews: Previews) {
    this.#rooms = rooms
    this.#previews = previews
    this.#code = new Lazy(async () => new (await import('./code-builds.ts')).CodeBuilds(rooms))
  }

  /**
   * Accepts a build request and begins the build; `done` gives the build once it is ready or failed. Throws INVALID_MCP
   * for invalid definitions and NOT_FOUND for a source that is not there; later faults make a failed build instead.
   */
  async create(input: unknown, stopped?: AbortSignal): Promise<{ build: Build; done: Promise<Build> }> {
    const startedMs = performance.now()
    const { parseBuildRequest } = await import('../../shared/validate-definitions.ts')
    const request = parseBuildRequest(input)
    const source = request.source === undefined ? undefined : getSource(this.#rooms, request.source)
    const build = newBuild(request, source, this.#rooms.clock.now())
    this.#rooms.store.transaction(() => {
      this.#rooms.store.servers.ensure(build.name, build.createdAt)
      this.#rooms.store.builds.create(build)
    })
    const done = this.#make(build, { request, source, stopped, startedMs })
    this.#rooms.background.run(() => done)
    return { build, done }
  }

  /** Throws NOT_FOUND. */
  get(id: string): Build {
    return getBuild(this.#rooms, id)
  }

  list(filter: BuildFilter, limit: number, cursor?: string): { items: Build[]; nextCursor: string | null } {
    return this.#rooms.store.builds.list(filter, limit, cursor)
  }

  /** Throws NOT_FOUND, CONFLICT for a build that is not ready, UNAVAILABLE for a damaged artifact file. */
  artifact(id: string): Artifact {
    return loadArtifact(this.#rooms, requireReady(this.get(id)))
  }

  /** The code of its handler modules. Throws what `artifact` does, and NOT_FOUND when it has none. */
  bundle(id: string): string {
    const { digest } = requireReady(this.get(id))
    const bundle = digest === null ? undefined : this.#rooms.artifacts.loadBundle(digest)
    if (bundle !== undefined) return bundle
    throw new HostingError('NOT_FOUND', `Build ${id} has no handler modules, so there is no bundle of them.`)
  }

  /** It as an image. Throws what `artifact` and `Images.make` do. */
  async image(id: string, request: ImageRequest): Promise<{ file: Readable; name: string }> {
    const build = requireReady(this.get(id))
    return (await this.#rooms.images()).archive(build, request)
  }

  /** Throws NOT_FOUND, and CONFLICT while the build is being made or a deployment of it is kept. */
  async remove(id: string): Promise<void> {
    const build = this.get(id)
    this.#rooms.store.transaction(() => {
      this.#requireRemovable(build)
      this.#rooms.store.builds.remove(id)
    })
    await this.#previews.forget(build)
    if (build.digest) await dropUnusedArtifact(this.#rooms, build.digest)
    if (build.sourceDigest) await dropUnusedArchive(this.#rooms, build.sourceDigest)
    forgetServer(this.#rooms, build.name)
    await this.#rooms.logs.remove(id)
  }

  async #make(build: Build, { request, source, stopped, startedMs }: BuildWork): Promise<Build> {
    // Nothing of the work happens before the record is on its way to an asynchronous client.
    await new Promise(resolve => setImmediate(resolve))
    let ready: Build
    try {
      const built = await this.#build(build, request, { source, stopped })
      await this.#previews.prepare(build.name)
      const record = () => this.#move(build, 'ready', startedMs, factsOf(built))
      ready = await this.#rooms.artifacts.publish(built, record)
    } catch (error) {
      return this.#fail(build, error, startedMs)
    }
    // It is ready whatever becomes of its preview; the next start of the daemon tries that again.
    await this.#previews.take(ready, request.env_vars).catch(this.#rooms.background.report)
    return ready
  }

  async #build(
    build: Build,
    request: BuildRequest,
    work: Pick<BuildWork, 'source' | 'stopped'>,
  ): Promise<BuiltArtifact> {
    if (work.source !== undefined || request.program !== undefined)
      return (await this.#code.get()).make(build, request, work)
    const { buildArtifact } = await import('../builder/build-artifact.ts')
    return buildArtifact(request)
  }

  async #fail(build: Build, error: unknown, startedMs: number): Promise<Build> {
    const { code, message, details } = toHostingError(toFileError(error))
    const close = () => this.#previews.closeUnused(build.name)
    let failed = build
    this.#rooms.background.insist(() => {
      failed = this.#move(build, 'failed', startedMs, { error: { code, message, details } })
    }, close)
    await close()
    return failed
  }

  #move(build: Build, to: BuildState, startedMs: number, facts: BuildFacts): Build {
    return moveBuild(this.#rooms, build, to, {
      ...facts,
      buildMs: Math.max(1, Math.round(performance.now() - startedMs)),
    })
  }

  #requireRemovable(build: Build): void {
    if (build.status === 'building')
      throw new HostingError('CONFLICT', `Build ${build.id} is still being made; remove it when it is over.`)
    const deployments = this.#rooms.store.deployments.ofBuild(build.id)
    if (deployments.length === 0) return
    const named = deployments.slice(0, 3).map(({ id, status }) => `${id} (${status})`)
    throw new HostingError(
      'CONFLICT',
      `Build ${build.id} has ${deployments.length} deployment${deployments.length > 1 ? 's' : ''}: ${named.join(', ')}.`,
      { details: 'Remove its deployments first.' },
    )
  }
}

interface BuildWork {
  request: BuildRequest
  source: Source | undefined
  /** Ends the processes that load its code. */
  stopped: AbortSignal | undefined
  /** By `performance.now()`. */
  startedMs: number
}

type BuildFacts = Partial<Pick<Build, 'digest' | 'env' | 'tools' | 'resources' | 'prompts'>> & {
  error?: Failure
}

function factsOf({ digest, artifact }: BuiltArtifact): BuildFacts {
  return { digest, env: artifact.env, ...definedNames(artifact) }
}

function definedNames({ tools, resources, prompts }: NamedDefinitions): Pick<Build, keyof NamedDefinitions> {
  return {
    tools: (tools ?? []).map(({ name }) => name),
    resources: (resources ?? []).map(({ uri }) => uri),
    prompts: (prompts ?? []).map(({ name }) => name),
  }
}

type NamedDefinitions = Pick<BuildRequest, 'tools' | 'resources' | 'prompts'>

/** With its last build a server is gone: its ports and subdomains are free, what its programs kept and who signed in is no more. */
export function forgetServer(
  { store, programs, signIns }: Pick<Rooms, 'store' | 'programs' | 'signIns'>,
  name: string,
  { keepFiles = false } = {},
): void {
  store.transaction(() => {
    if (store.builds.hasAny(name)) return
    store.addresses.removeOf(name)
    store.mappings.removeOf(name)
    store.servers.remove(name)
    signIns.forget(name)
  })
  if (!keepFiles && !store.builds.hasAny(name)) programs.removeOf(name)
}

/** Throws NOT_FOUND. */
export function getBuild(rooms: Pick<Rooms, 'store'>, id: string): Build {
  const build = rooms.store.builds.find(id)
  if (build) return build
  throw new HostingError('NOT_FOUND', `There is no build "${id}".`, {
    details: 'GET /v1/build lists the builds there are.',
    next: [{ description: 'See what there is', command: 'mcp list' }],
  })
}

/** Throws CONFLICT for a build that cannot be served. */
export function requireReady(build: Build): Build {
  if (build.status === 'ready') return build
  const why = build.error ? `: ${build.error.message}` : ''
  throw new HostingError('CONFLICT', `Build ${build.id} is ${build.status}, not ready${why}`)
}

/** The only place where a build changes its state. Throws CONFLICT for a move that is not one of the machine's. */
export function moveBuild(
  { store }: Pick<Rooms, 'store'>,
  build: Build,
  to: BuildState,
  facts: BuildFacts & { buildMs?: number } = {},
): Build {
  if (!canMove(BUILD_TRANSITIONS, build.status, to))
    throw new HostingError('CONFLICT', `Build ${build.id} is ${build.status} and cannot become ${to}.`)
  const moved = { ...build, ...facts, status: to }
  store.builds.update(moved)
  return moved
}

/** A fault of the disk as a sentence; anything else as it is. */
function toFileError(error: unknown): unknown {
  const { code, path } = error as NodeJS.ErrnoException
  if (error instanceof HostingError || code === undefined || !(error as NodeJS.ErrnoException).syscall)
    return error
  const sentence = code === 'ENOSPC' ? 'The disk is full' : 'The disk does not take it'
  return new HostingError('UNAVAILABLE', `${sentence}: the artifact was not written (${code}).`, {
    details: `Free space and see that ${path ?? 'the home'} can be written, then build again.`,
    cause: error,
  })
}

function newBuild(request: BuildRequest, source: Source | undefined, now: string): Build {
  return {
    id: createId('mcp'),
    name: request.name,
    template: request.template,
    status: 'building',
    digest: null,
    ...definedNames(request),
    env: [],
    projectId: request.project_id ?? source?.projectId ?? null,
    sourceDigest: source?.digest ?? null,
    buildMs: 0,
    error: null,
    createdAt: now,
  }
}
