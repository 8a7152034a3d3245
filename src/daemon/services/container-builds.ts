import type { ContainerBuildRecord } from '../../shared/container-builds.ts'
import { HostingError, toHostingError } from '../../shared/errors.ts'
import { createId } from '../../shared/ids.ts'
import type { LogPage } from '../../shared/log-pages.ts'
import { CONTAINER_BUILD_TRANSITIONS, type ContainerBuildState, canMove } from '../../shared/states.ts'
import type { ContainerBuild, ContainerBuildFilter } from '../store/container-builds.ts'
import type { Builds } from './builds.ts'
import { ContainerBuildLog, type ContainerLogQuery } from './container-build-log.ts'
import { getProject } from './projects.ts'
import type { Rooms } from './rooms.ts'
import { Slots } from './turns.ts'

/** Each may run npm, a bundler and a compressor. */
const BUILT_AT_ONCE = 2

/** Container builds: a project's source becomes an image, in a queue that outlives the daemon. */
export class ContainerBuilds {
  readonly #rooms: Rooms
  readonly #builds: Builds
  readonly #log: ContainerBuildLog
  readonly #slots = new Slots(BUILT_AT_ONCE)
  readonly #running = new Map<string, AbortController>()

  constructor(rooms: Rooms, builds: Builds) {
    this.#rooms = rooms
    this.#builds = builds
    this.#log = new ContainerBuildLog(rooms.logs, () => rooms.clock.now())
  }

  /** Throws NOT_FOUND, NO_SOURCE for a project without one, and CONFLICT while one of its builds runs. */
  trigger(projectId: string): ContainerBuildRecord {
    const { store, clock } = this.#rooms
    const build = store.transaction(() => {
      const project = getProject(this.#rooms, projectId)
      if (project.status !== 'active')
        throw new HostingError(
          'CONFLICT',
          `Project ${projectId} is ${project.status}; only an active one is built.`,
          project.status === 'archived'
            ? { details: `Take it up again: mcp projects archive ${projectId} --undo` }
            : {},
        )
      if (project.storageLocation === null) throw noSource(projectId)
      if (project.sourceId === null || !store.sources.find(project.sourceId))
        throw unreadableSource(projectId, project.storageLocation)
      const running = store.containerBuilds.findRunning(projectId)
      if (running)
        throw new HostingError('CONFLICT', `Build ${running.id} of this project is ${running.status}.`, {
          details: `Wait for its end, or stop it: mcp stop ${running.id}`,
        })
      const made = newBuild(projectId, project.storageLocation, project.sourceId, clock.now())
      store.containerBuilds.create(made)
      return made
    })
    this.#enqueue(build)
    return this.#record(build)
  }

  /** Throws NOT_FOUND. */
  get(id: string): ContainerBuildRecord {
    return this.#record(this.#find(id))
  }

  list(filter: ContainerBuildFilter, limit: number, cursor?: string) {
    const { items, nextCursor } = this.#rooms.store.containerBuilds.list(filter, limit, cursor)
    return { items: items.map(build => this.#record(build)), nextToken: nextCursor }
  }

  /** Ends it with every process it started. Throws NOT_FOUND, and CONFLICT for one that has ended. */
  stop(id: string): ContainerBuildRecord {
    const build = this.#find(id)
    const stopped = this.#move(build, 'stopped', { phase: 'COMPLETED', endTime: this.#rooms.clock.now() })
    this.#running.get(id)?.abort()
    const { background } = this.#rooms
    background.run(() => background.persist(() => this.#log.finish(id, 'stopped', 'warn')))
    return this.#record(stopped)
  }

  logs(id: string, query: ContainerLogQuery): Promise<LogPage> {
    return this.#log.page(this.#find(id), query)
  }

  /** Throws NOT_FOUND before anything is given. */
  followLogs(id: string, signal: AbortSignal): AsyncGenerator<LogPage['lines'][number]> {
    return this.#log.follow(this.#find(id), signal)
  }

  /** After a start of the daemon: what was being done is failed, what waited waits again. */
  async resume(): Promise<void> {
    const { store } = this.#rooms
    for (const build of store.containerBuilds.withStatus('in_progress'))
      await this.#end(
        build.id,
        'failed',
        'INTERRUPTED: the daemon ended while this was being built. Trigger it again.',
      )
    for (const build of store.containerBuilds.withStatus('pending')) this.#enqueue(build)
  }

  #enqueue(build: ContainerBuild): void {
    const controller = new AbortController()
    this.#running.set(build.id, controller)
    const work = () => this.#slots.run(() => this.#run(build.id, controller.signal))
    this.#rooms.background.run(() => work().finally(() => this.#running.delete(build.id)))
  }

  async #run(id: string, stopped: AbortSignal): Promise<void> {
    const { background, closing } = this.#rooms
    if (stopped.aborted || background.closing) return
    try {
      const { runPhases } = await import('./container-build-phases.ts')
      await runPhases(this.#rooms, this.#builds, {
        build: await background.persist(() => this.#begin(id)),
        signal: AbortSignal.any([stopped, closing]),
        note: facts => this.#note(id, facts),
        tell: async (phase, message) => {
          if (!stopped.aborted) await this.#log.write(id, phase, message)
        },
      })
      await this.#end(id, 'succeeded', 'succeeded')
    } catch (error) {
      if (stopped.aborted) return
      const { code, message, details } = toHostingError(error)
      const text = closing.aborted
        ? 'INTERRUPTED: the daemon was stopped while this was being built.'
        : `${code}: ${message}`
      await this.#end(id, 'failed', text, details)
    }
  }

  /** Throws CONFLICT for one that was stopped while it waited. */
  async #begin(id: string): Promise<ContainerBuild> {
    const build = this.#find(id)
    const begun =
      build.status === 'in_progress' // a second try, after the disk did not take the line
        ? build
        : this.#move(build, 'in_progress', {
            phase: 'DOWNLOAD_SOURCE',
            startTime: this.#rooms.clock.now(),
          })
    await this.#log.write(id, 'QUEUED', `building project ${begun.projectId} of ${begun.storageLocation}`)
    return begun
  }

  /** The outcome is written down however long a full disk takes; nothing happens to one that was stopped meanwhile. */
  async #end(id: string, to: 'succeeded' | 'failed', message: string, details?: string): Promise<void> {
    const { background, clock } = this.#rooms
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

  #note(id: string, facts: Partial<ContainerBuild>): void {
    const { store, clock } = this.#rooms
    store.containerBuilds.update({ ...this.#find(id), ...facts, updatedAt: clock.now() })
  }

  #move(build: ContainerBuild, to: ContainerBuildState, facts: Partial<ContainerBuild>): ContainerBuild {
    if (!canMove(CONTAINER_BUILD_TRANSITIONS, build.status, to))
      throw new HostingError('CONFLICT', `Build ${build.id} is ${build.status} and cannot become ${to}.`)
    const moved = { ...build, ...facts, status: to, updatedAt: this.#rooms.clock.now() }
    this.#rooms.store.containerBuilds.update(moved)
    return moved
  }

  #find(id: string): ContainerBuild {
    const build = this.#rooms.store.containerBuilds.find(id)
    if (build) return build
    throw new HostingError('NOT_FOUND', `There is no container build "${id}".`, {
      details: 'GET /api/lambda-builds lists the builds there are.',
      next: [{ description: 'See the builds of a project', command: 'mcp projects builds <project>' }],
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

/** Accepted by PATCH, because the contract takes any location, but not in a storage that this daemon reads. */
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
