import type { Readable } from 'node:stream'
import type { Inspector } from '../../../shared/contract/builds/inspector.ts'
import type { BuildState } from '../../../shared/contract/states.ts'
import { counted } from '../../../shared/counted.ts'
import type { Artifact } from '../../../shared/definitions/artifact.ts'
import type { BuildRequest } from '../../../shared/definitions/definitions.ts'
import { HostingError, toHostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import { Lazy } from '../../../shared/lazy.ts'
import type { BuiltArtifact } from '../../builder/build-artifact.ts'
import { toDiskError } from '../../builder/storage/object-storage.ts'
import type { Page } from '../../store/table.ts'
import type { Build, BuildFilter } from '../../store/tables/builds.ts'
import type { Source } from '../../store/tables/sources.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { readStoredValues } from '../deployments/stored-variables.ts'
import { requireNotRemoved } from '../servers/pending-removals.ts'
import type { CodeBuildDependencies, CodeBuilds, CodeBuildWork } from './code-builds.ts'
import type { ImageRequest } from './images.ts'
import { inspectorUrl, inspectPreview } from './inspect-preview.ts'
import type { Previews } from './previews.ts'
import { removeUnusedArchive, removeUnusedArtifact } from './source-retention.ts'
import { getSource } from './sources.ts'
import {
  type BuildChanges,
  getBuild,
  loadArtifact,
  moveBuild,
  nextExpiry,
  requireReady,
} from './stored-builds.ts'

type Dependencies = CodeBuildDependencies &
  Pick<ServiceDependencies, 'changes' | 'clock' | 'logs' | 'signIns' | 'store'>

export class Builds {
  readonly #deps: Dependencies
  readonly #previews: Previews
  /** Loaded for the first build of code, because it is large. */
  readonly #code: Lazy<CodeBuilds>

  constructor(deps: Dependencies, previews: Previews) {
    this.#deps = deps
    this.#previews = previews
    this.#code = new Lazy(async () => new (await import('./code-builds.ts')).CodeBuilds(deps))
  }

  /**
   * Starts a build. `done` resolves with the ready or failed build. Throws INVALID_MCP for invalid definitions, NOT_FOUND
   * for an unknown source, and CONFLICT while the server is being removed. Later errors make the build fail.
   */
  async create(
    input: unknown,
    { stopped, isTemporary = false, onPhase = () => {} }: BuildOptions = {},
  ): Promise<{ build: Build; done: Promise<Build> }> {
    const startedMs = performance.now()
    const { parseBuildRequest } = await import('../../../shared/validation/validate-definitions.ts')
    const request = parseBuildRequest(input)
    const source = request.source === undefined ? undefined : getSource(this.#deps, request.source)
    const { clock } = this.#deps
    const expiresAt = isTemporary ? nextExpiry(this.#deps) : null
    const build = { ...newBuild(request, source, clock.now()), expiresAt }
    this.#deps.store.transaction(() => {
      requireNotRemoved(this.#deps, build.name)
      this.#deps.store.servers.ensure(build.name, build.createdAt)
      this.#deps.store.builds.create(build)
    })
    const enter = (phase: string) => {
      onPhase(phase)
      this.#deps.changes.publish({
        type: 'build',
        action: 'updated',
        id: build.id,
        server: build.name,
        status: build.status,
        phase,
      })
    }
    const done = this.#run(build, { request, source, stopped, onPhase: enter, startedMs })
    this.#deps.background.run(() => done)
    return { build, done }
  }

  /** Throws NOT_FOUND. */
  get(id: string): Build {
    return getBuild(this.#deps, id)
  }

  list(filter: BuildFilter, limit: number, cursor?: string): Page<Build> {
    return this.#deps.store.builds.list(filter, limit, cursor)
  }

  /** Throws NOT_FOUND, CONFLICT for a build that is not ready, and UNAVAILABLE for a damaged artifact file. */
  artifact(id: string): Artifact {
    return loadArtifact(this.#deps, requireReady(this.get(id)))
  }

  /** The debugger of the preview. */
  async inspector(id: string): Promise<Inspector> {
    return { url: await inspectorUrl(this.#previews.inspectedPort(this.get(id).id)) }
  }

  /** Throws NOT_FOUND, CONFLICT for a build that is not ready, and the errors of `inspectPreview`. */
  inspect(id: string, options: { port: number; signal: AbortSignal }): Promise<AsyncIterable<Inspector>> {
    return inspectPreview(this.#previews, requireReady(this.get(id)), options)
  }

  /** The code of the handler modules. Throws the errors of `artifact`, and NOT_FOUND when there are none. */
  bundle(id: string): string {
    const { digest } = requireReady(this.get(id))
    const bundle = digest === null ? undefined : this.#deps.artifacts.loadBundle(digest)
    if (bundle !== undefined) return bundle
    throw new HostingError('NOT_FOUND', `Build ${id} has no bundle, because it has no handler modules.`)
  }

  /** The build as an image. Throws the errors of `artifact` and `Images.make`. */
  async image(id: string, request: ImageRequest): Promise<{ file: Readable; name: string }> {
    const build = requireReady(this.get(id))
    return (await this.#deps.images()).archive(build, request)
  }

  /** Throws NOT_FOUND, and CONFLICT while the build runs or has deployments. */
  async remove(id: string): Promise<void> {
    const build = this.get(id)
    this.#deps.store.transaction(() => {
      this.#requireRemovable(build)
      this.#deps.store.builds.remove(id)
    })
    await this.#previews.removeBuild(build)
    if (build.digest) await removeUnusedArtifact(this.#deps, build.digest)
    if (build.sourceDigest) await removeUnusedArchive(this.#deps, build.sourceDigest)
    removeServerWithoutBuilds(this.#deps, build.name)
    await this.#deps.logs.remove(id)
  }

  async #run(build: Build, { request, startedMs, ...work }: BuildWork): Promise<Build> {
    // Lets the response to an asynchronous client be sent first.
    await new Promise(resolve => setImmediate(resolve))
    let ready: Build
    try {
      const built = await this.#build(build, request, work)
      await this.#previews.openAddress(build.name)
      await this.#previews.copyState(build, request.preview?.copy_state_from)
      const record = () => this.#move(build, 'ready', startedMs, fieldsOf(built))
      ready = await this.#deps.artifacts.publish(built, record)
    } catch (error) {
      return this.#fail(build, error, startedMs)
    }
    // The build is ready even if its preview fails. The daemon retries the preview at its next start.
    await this.#previews.switchTo(ready, request.env_vars).catch(this.#deps.background.report)
    return ready
  }

  async #build(build: Build, request: BuildRequest, work: CodeBuildWork): Promise<BuiltArtifact> {
    if (work.source !== undefined || request.program !== undefined)
      return (await this.#code.get()).make(build, this.#withVariables(request), work)
    const { buildArtifact } = await import('../../builder/build-artifact.ts')
    return buildArtifact(request)
  }

  /** Adds the stored variables of the environment that the build is for, because code runs during the build. */
  #withVariables({ environment, ...request }: BuildRequest): BuildRequest {
    const stored = readStoredValues(this.#deps, request.name, environment ?? 'development')
    return Object.keys(stored).length === 0
      ? request
      : { ...request, env_vars: { ...stored, ...request.env_vars } }
  }

  async #fail(build: Build, error: unknown, startedMs: number): Promise<Build> {
    const { code, message, details } = toHostingError(toDiskError(error, 'the artifact'))
    const close = () => this.#previews.closeUnused(build.name)
    let failed = build
    this.#deps.background.retryUntilWritten(() => {
      failed = this.#move(build, 'failed', startedMs, { error: { code, message, details } })
    }, close)
    await close()
    return failed
  }

  #move(build: Build, to: BuildState, startedMs: number, changes: BuildChanges): Build {
    return moveBuild(this.#deps, build, to, {
      ...changes,
      buildMs: Math.max(1, Math.round(performance.now() - startedMs)),
    })
  }

  #requireRemovable(build: Build): void {
    if (build.status === 'building')
      throw new HostingError(
        'CONFLICT',
        `Build ${build.id} is still running. Remove it when it has finished.`,
      )
    const deployments = this.#deps.store.deployments.listByBuild(build.id)
    if (deployments.length === 0) return
    const named = deployments.slice(0, 3).map(({ id, status }) => `${id} (${status})`)
    throw new HostingError(
      'CONFLICT',
      `Build ${build.id} has ${counted(deployments.length, 'deployment')}: ${named.join(', ')}.`,
      { details: 'Remove its deployments first.' },
    )
  }
}

interface BuildOptions {
  /** Aborts a build of code. */
  stopped?: AbortSignal | undefined
  /** Set for a build that expires after its last test (`TemporaryBuilds`). */
  isTemporary?: boolean
  /** Called when a phase begins, in a build of code. */
  onPhase?(phase: string): void
}

interface BuildWork extends CodeBuildWork {
  request: BuildRequest
  /** From `performance.now()`. */
  startedMs: number
}

function fieldsOf({ digest, artifact }: BuiltArtifact): BuildChanges {
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

/** Removes a server without builds: its addresses, subdomains, sign-ins and, unless `keepFiles`, the files of its programs. */
export function removeServerWithoutBuilds(
  { store, programs, signIns }: Pick<ServiceDependencies, 'store' | 'programs' | 'signIns'>,
  name: string,
  { keepFiles = false } = {},
): void {
  store.transaction(() => {
    if (store.builds.hasAny(name)) return
    store.addresses.removeByServer(name)
    store.mappings.removeByServer(name)
    store.servers.remove(name)
    signIns.removeServer(name)
  })
  if (!keepFiles && !store.builds.hasAny(name)) programs.removeServer(name)
}

function newBuild(request: BuildRequest, source: Source | undefined, now: string): Omit<Build, 'expiresAt'> {
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
