import type { ContainerBuildRecord } from '../../../shared/contract/builds/container-builds.ts'
import type { LogPage } from '../../../shared/contract/monitoring/log-pages.ts'
import {
  CONTAINER_BUILD_TRANSITIONS,
  type ContainerBuildState,
  canMove,
} from '../../../shared/contract/states.ts'
import { HostingError, toHostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import type { ContainerBuild, ContainerBuildFilter } from '../../store/tables/container-builds.ts'
import { Semaphore } from '../concurrency.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { getProject } from '../projects/projects.ts'
import type { Builds } from './builds.ts'
import { ContainerBuildLog, type ContainerLogQuery } from './container-build-log.ts'
import type { PhaseDependencies } from './container-build-phases.ts'

/** Each build may run npm, a bundler and a compressor. */
const CONCURRENCY = 2

type Dependencies = PhaseDependencies & Pick<ServiceDependencies, 'background' | 'clock' | 'closing' | 'logs'>

/** Builds images from the sources of projects. The queue survives a restart of the daemon. */
export class ContainerBuilds {
  readonly #deps: Dependencies
  readonly #builds: Builds
  readonly #log: ContainerBuildLog
  readonly #slots = new Semaphore(CONCURRENCY)
  readonly #running = new Map<string, AbortController>()

  constructor(deps: Dependencies, builds: Builds) {
    this.#deps = deps
    this.#builds = builds
    this.#log = new ContainerBuildLog(deps.logs, () => deps.clock.now())
  }

  /** Throws NOT_FOUND, NO_SOURCE without a readable source, and CONFLICT for an inactive project or a second build. */
  trigger(projectId: string): ContainerBuildRecord {
    const { store, clock } = this.#deps
    const build = store.transaction(() => {
      const project = getProject(this.#deps, projectId)
      if (project.status !== 'active')
        throw new HostingError(
          'CONFLICT',
          `Project ${projectId} is ${project.status}. Only active projects can be built.`,
          project.status === 'archived'
            ? { details: `Reactivate it: mcp projects archive ${projectId} --undo` }
            : {},
        )
      if (project.storageLocation === null) throw noSource(projectId)
      if (project.sourceId === null || !store.sources.find(project.sourceId))
        throw unreadableSource(projectId, project.storageLocation)
      const running = store.containerBuilds.findActive(projectId)
      if (running)
        throw new HostingError('CONFLICT', `Build ${running.id} of this project is ${running.status}.`, {
          details: `Wait until it finishes, or stop it: mcp stop ${running.id}`,
        })
      const created = newBuild(projectId, project.storageLocation, project.sourceId, clock.now())
      store.containerBuilds.create(created)
      return created
    })
    this.#enqueue(build)
    return this.#record(build)
  }

  /** Throws NOT_FOUND. */
  get(id: string): ContainerBuildRecord {
    return this.#record(this.#find(id))
  }

  list(filter: ContainerBuildFilter, limit: number, cursor?: string) {
    const { items, nextCursor } = this.#deps.store.containerBuilds.list(filter, limit, cursor)
    return { items: items.map(build => this.#record(build)), nextToken: nextCursor }
  }

  /** Stops a build and its processes. Throws NOT_FOUND, and CONFLICT for a finished build. */
  stop(id: string): ContainerBuildRecord {
    const build = this.#find(id)
    const stopped = this.#move(build, 'stopped', { phase: 'COMPLETED', endTime: this.#deps.clock.now() })
    this.#running.get(id)?.abort()
    const { background } = this.#deps
    background.run(() => background.persist(() => this.#log.finish(id, 'stopped', 'warn')))
    return this.#record(stopped)
  }

  logs(id: string, query: ContainerLogQuery): Promise<LogPage> {
    return this.#log.page(this.#find(id), query)
  }

  /** Throws NOT_FOUND immediately, before the first line. */
  followLogs(id: string, signal: AbortSignal): AsyncGenerator<LogPage['lines'][number]> {
    return this.#log.follow(this.#find(id), signal)
  }

  /** Called when the daemon starts. Fails interrupted builds and queues pending ones again. */
  async resume(): Promise<void> {
    const { store } = this.#deps
    for (const build of store.containerBuilds.listByStatus('in_progress'))
      await this.#finish(
        build.id,
        'failed',
        'INTERRUPTED: the daemon stopped while this build was running. Trigger it again.',
      )
    for (const build of store.containerBuilds.listByStatus('pending')) this.#enqueue(build)
  }

  #enqueue(build: ContainerBuild): void {
    const controller = new AbortController()
    this.#running.set(build.id, controller)
    const work = () => this.#slots.run(() => this.#run(build.id, controller.signal))
    this.#deps.background.run(() => work().finally(() => this.#running.delete(build.id)))
  }

  async #run(id: string, stopped: AbortSignal): Promise<void> {
    const { background, closing } = this.#deps
    if (stopped.aborted || background.closing) return
    try {
      const { runPhases } = await import('./container-build-phases.ts')
      await runPhases(this.#deps, this.#builds, {
        build: await background.persist(() => this.#start(id)),
        signal: AbortSignal.any([stopped, closing]),
        update: fields => this.#update(id, fields),
        log: async (phase, message) => {
          if (!stopped.aborted) await this.#log.write(id, phase, message)
        },
      })
      await this.#finish(id, 'succeeded', 'succeeded')
    } catch (error) {
      if (stopped.aborted) return
      const { code, message, details } = toHostingError(error)
      const text = closing.aborted
        ? 'INTERRUPTED: the daemon stopped while this build was running. Trigger it again.'
        : `${code}: ${message}`
      await this.#finish(id, 'failed', text, details)
    }
  }

  /** Throws CONFLICT for a build that was stopped while it was pending. */
  async #start(id: string): Promise<ContainerBuild> {
    const build = this.#find(id)
    const started =
      build.status === 'in_progress' // a second attempt, after writing the line failed
        ? build
        : this.#move(build, 'in_progress', {
            phase: 'DOWNLOAD_SOURCE',
            startTime: this.#deps.clock.now(),
          })
    await this.#log.write(
      id,
      'QUEUED',
      `building project ${started.projectId} from ${started.storageLocation}`,
    )
    return started
  }

  /** Records the outcome, and waits while the disk is full. Does nothing for a build that was stopped. */
  async #finish(id: string, to: 'succeeded' | 'failed', message: string, details?: string): Promise<void> {
    const { background, clock } = this.#deps
    const isFailed = to === 'failed'
    const level = isFailed ? 'error' : 'info'
    if (details && this.#canBecome(id, to))
      await background.persist(() => this.#log.write(id, this.#find(id).phase, details, 'error'))
    const last = isFailed ? `failed: ${message}` : message
    const moved = await background.persist(
      () =>
        this.#canBecome(id, to) &&
        this.#move(this.#find(id), to, {
          phase: 'COMPLETED',
          endTime: clock.now(),
          ...(isFailed && { errorMessage: message }),
        }),
    )
    if (moved) await background.persist(() => this.#log.finish(id, last, level))
  }

  #canBecome(id: string, to: ContainerBuildState): boolean {
    return canMove(CONTAINER_BUILD_TRANSITIONS, this.#find(id).status, to)
  }

  #update(id: string, fields: Partial<ContainerBuild>): void {
    const { store, clock } = this.#deps
    store.containerBuilds.update({ ...this.#find(id), ...fields, updatedAt: clock.now() })
  }

  #move(build: ContainerBuild, to: ContainerBuildState, fields: Partial<ContainerBuild>): ContainerBuild {
    if (!canMove(CONTAINER_BUILD_TRANSITIONS, build.status, to))
      throw new HostingError('CONFLICT', `Build ${build.id} is ${build.status} and cannot become ${to}.`)
    const moved = { ...build, ...fields, status: to, updatedAt: this.#deps.clock.now() }
    this.#deps.store.containerBuilds.update(moved)
    return moved
  }

  #find(id: string): ContainerBuild {
    const build = this.#deps.store.containerBuilds.find(id)
    if (build) return build
    throw new HostingError('NOT_FOUND', `Container build "${id}" does not exist.`, {
      details: 'GET /api/lambda-builds lists all container builds.',
      next: [{ description: 'List the builds of a project', command: 'mcp projects builds <project>' }],
    })
  }

  #record({ phase, storageLocation, sourceId: _source, ...build }: ContainerBuild): ContainerBuildRecord {
    return {
      ...build,
      cloudBuildId: `local:${build.id}`,
      storageSourceLocation: storageLocation,
      logGroupName: 'mcp-hosting/container-builds',
      logStreamName: build.id,
      currentPhase: phase,
    }
  }
}

function newBuild(
  projectId: string,
  storageLocation: string,
  sourceId: string | null,
  now: string,
): ContainerBuild {
  return {
    id: createId('bld'),
    projectId,
    status: 'pending',
    phase: 'QUEUED',
    storageLocation,
    sourceId,
    mcpId: '',
    imageRepository: '',
    imageUri: '',
    imageDigest: '',
    errorMessage: '',
    startTime: '',
    endTime: '',
    createdAt: now,
    updatedAt: now,
  }
}

/** Error for a location that the API accepted, as the contract requires, but that this daemon cannot read. */
function unreadableSource(projectId: string, location: string): HostingError {
  return new HostingError(
    'NO_SOURCE',
    `The source ${location} of project ${projectId} cannot be read here.`,
    {
      details: `Upload it (mcp projects upload ${projectId}), or start the daemon with the object storage that holds it.`,
    },
  )
}

function noSource(projectId: string): HostingError {
  return new HostingError('NO_SOURCE', `Project ${projectId} has no source.`, {
    details: `Upload it: mcp projects upload ${projectId} (PUT /api/projects/{id}/source)`,
  })
}
