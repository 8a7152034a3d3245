import { HostingError } from '../../shared/errors.ts'
import { createId } from '../../shared/ids.ts'
import type { CreateProjectRequest, ProjectRecord, UpdateProjectRequest } from '../../shared/projects.ts'
import { canMove, PROJECT_TRANSITIONS } from '../../shared/states.ts'
import type { StoredSource } from '../builder/archive/source-archives.ts'
import { parseBaseReference } from '../builder/image/base-reference.ts'
import type { Project, ProjectFilter } from '../store/projects.ts'
import type { Rooms } from './rooms.ts'
import { readSourceAt } from './source-locations.ts'
import { dropSourcesOf, recordSource } from './source-retention.ts'

interface ChangeOptions {
  stored: StoredSource | undefined
  check(): void
}

export class Projects {
  readonly #rooms: Rooms

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  /** Throws INVALID_REQUEST for a `storageLocation` that `readSourceAt` refuses. */
  async create(request: CreateProjectRequest): Promise<ProjectRecord> {
    if (request.baseImage) parseBaseReference(request.baseImage)
    const now = this.#rooms.clock.now()
    const project: Project = {
      id: createId('prj'),
      name: request.name,
      description: request.description ?? null,
      repositoryUrl: request.repositoryUrl ?? null,
      framework: request.framework ?? null,
      status: 'active',
      storageLocation: request.storageLocation ?? null,
      templateId: request.templateId ?? null,
      baseImage: request.baseImage ?? null,
      sourceId: null,
      createdAt: now,
      updatedAt: now,
    }
    const { store } = this.#rooms
    return this.#withSource(project.storageLocation, stored =>
      store.transaction(() => {
        store.projects.create(project)
        if (!stored) return this.record(project)
        const made = { ...project, sourceId: recordSource(this.#rooms, project.id, stored).id }
        store.projects.update(made)
        return this.record(made)
      }),
    )
  }

  /** Deleted ones too. Throws NOT_FOUND. */
  get(id: string): ProjectRecord {
    return this.record(getProject(this.#rooms, id))
  }

  list(
    filter: ProjectFilter,
    limit: number,
    cursor?: string,
  ): { items: ProjectRecord[]; nextToken: string | null } {
    const { items, nextCursor } = this.#rooms.store.projects.list(filter, limit, cursor)
    return { items: items.map(project => this.record(project)), nextToken: nextCursor }
  }

  /**
   * Throws NOT_FOUND, CONFLICT for a refused move and for any change of a deleted project, and INVALID_REQUEST for a
   * `storageLocation` that `readSourceAt` refuses. `check` runs in the transaction that writes.
   */
  async update(id: string, change: UpdateProjectRequest, check = () => {}): Promise<ProjectRecord> {
    const before = getProject(this.#rooms, id)
    requireMove(before, change.status ?? before.status)
    const { storageLocation, baseImage } = change
    if (baseImage) parseBaseReference(baseImage)
    const isMoved = storageLocation != null && storageLocation !== before.storageLocation
    const changed = await this.#withSource(isMoved ? storageLocation : null, stored =>
      this.#change(id, change, { stored, check }),
    )
    if (changed.status === 'deleted') await dropSourcesOf(this.#rooms, id)
    return this.record(changed)
  }

  #change(id: string, change: UpdateProjectRequest, { stored, check }: ChangeOptions): Project {
    const { store, clock } = this.#rooms
    return store.transaction(() => {
      check()
      const project = getProject(this.#rooms, id)
      requireMove(project, change.status ?? project.status)
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const next: Project = { ...project, ...given, updatedAt: clock.now() }
      // An address of the client's own is no uploaded archive of ours.
      if (next.storageLocation !== project.storageLocation)
        next.sourceId = stored ? recordSource(this.#rooms, id, stored).id : null
      store.projects.update(next)
      return next
    })
  }

  /** `work` gets the archive that the location leads to, where it is ours to read. */
  async #withSource<T>(location: string | null, work: (stored?: StoredSource) => T): Promise<T> {
    let done: { value: T } | undefined
    if (location !== null)
      done = await readSourceAt(this.#rooms, location, stored => ({ value: work(stored) }))
    return (done ?? { value: work() }).value
  }

  record(project: Project): ProjectRecord {
    const source = project.sourceId === null ? undefined : this.#rooms.store.sources.find(project.sourceId)
    return { ...project, sourceId: source?.id ?? null, sourceDigest: source?.digest ?? null }
  }
}

/** Throws NOT_FOUND. */
export function getProject({ store }: Pick<Rooms, 'store'>, id: string): Project {
  const project = store.projects.find(id)
  if (project) return project
  throw new HostingError('NOT_FOUND', `There is no project "${id}".`, {
    details: 'GET /api/projects lists the projects there are.',
    next: [{ description: 'See the projects', command: 'mcp projects list' }],
  })
}

function requireMove({ id, status }: Project, to: Project['status']): void {
  if (status === 'deleted')
    throw new HostingError('CONFLICT', `Project ${id} is deleted; nothing of it can be changed.`)
  if (to !== status && !canMove(PROJECT_TRANSITIONS, status, to))
    throw new HostingError('CONFLICT', `Project ${id} is ${status} and cannot become ${to}.`)
}
