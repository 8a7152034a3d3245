import type {
  CreateProjectRequest,
  ProjectRecord,
  UpdateProjectRequest,
} from '../../../shared/contract/projects/projects.ts'
import { canMove, PROJECT_TRANSITIONS } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import type { StoredSource } from '../../builder/archive/source-archives.ts'
import { parseBaseReference } from '../../builder/image/base-reference.ts'
import type { Project, ProjectFilter } from '../../store/tables/projects.ts'
import { readSourceAt } from '../builds/source-locations.ts'
import { recordSource, removeProjectSources, type SourceDependencies } from '../builds/source-retention.ts'
import type { ServiceDependencies } from '../dependencies.ts'

type Dependencies = SourceDependencies & Pick<ServiceDependencies, 'clock' | 'storage'>

interface ChangeOptions {
  stored: StoredSource | undefined
  check(): void
}

export class Projects {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws CONFLICT for a name in use, and the errors of `parseBaseReference` and `readSourceAt`. */
  async create(request: CreateProjectRequest): Promise<ProjectRecord> {
    this.#requireFreeName(request.name)
    if (request.baseImage) parseBaseReference(request.baseImage)
    const now = this.#deps.clock.now()
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
    const { store } = this.#deps
    return this.#withSource(project.storageLocation, stored =>
      store.transaction(() => {
        this.#requireFreeName(request.name)
        store.projects.create(project)
        if (!stored) return this.record(project)
        const withSource = { ...project, sourceId: recordSource(this.#deps, project.id, stored).id }
        store.projects.update(withSource)
        return this.record(withSource)
      }),
    )
  }

  #requireFreeName(name: string): void {
    const other = this.#deps.store.projects.findNamed(name)
    if (!other) return
    throw new HostingError('CONFLICT', `Project "${name}" already exists (${other.id}, ${other.status}).`, {
      details: 'Choose another name, or use that project.',
    })
  }

  /** Also finds deleted projects. Throws NOT_FOUND. */
  get(id: string): ProjectRecord {
    return this.record(getProject(this.#deps, id))
  }

  list(filter: ProjectFilter, limit: number, cursor?: string) {
    const { items, nextCursor } = this.#deps.store.projects.list(filter, limit, cursor)
    return { items: items.map(project => this.record(project)), nextToken: nextCursor }
  }

  /**
   * Throws NOT_FOUND, CONFLICT for an invalid status and for any change to a deleted project, and the errors of
   * `parseBaseReference` and `readSourceAt`. `check` runs in the transaction that writes.
   */
  async update(id: string, change: UpdateProjectRequest, check = () => {}): Promise<ProjectRecord> {
    const before = getProject(this.#deps, id)
    requireMove(before, change.status ?? before.status)
    const { storageLocation, baseImage } = change
    if (baseImage) parseBaseReference(baseImage)
    const isMoved = storageLocation != null && storageLocation !== before.storageLocation
    const changed = await this.#withSource(isMoved ? storageLocation : null, stored =>
      this.#change(id, change, { stored, check }),
    )
    if (changed.status === 'deleted') await removeProjectSources(this.#deps, id)
    return this.record(changed)
  }

  #change(id: string, change: UpdateProjectRequest, { stored, check }: ChangeOptions): Project {
    const { store, clock } = this.#deps
    return store.transaction(() => {
      check()
      const project = getProject(this.#deps, id)
      requireMove(project, change.status ?? project.status)
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const next: Project = { ...project, ...given, updatedAt: clock.now() }
      // A location that is not in the storage has no uploaded archive.
      if (next.storageLocation !== project.storageLocation)
        next.sourceId = stored ? recordSource(this.#deps, id, stored).id : null
      store.projects.update(next)
      return next
    })
  }

  /** Passes the archive at the location to `work`, if the location is in the storage. */
  async #withSource<T>(location: string | null, work: (stored?: StoredSource) => T): Promise<T> {
    let done: { value: T } | undefined
    if (location !== null)
      done = await readSourceAt(this.#deps, location, stored => ({ value: work(stored) }))
    return (done ?? { value: work() }).value
  }

  record(project: Project): ProjectRecord {
    const source = project.sourceId === null ? undefined : this.#deps.store.sources.find(project.sourceId)
    return {
      ...project,
      sourceId: source?.id ?? null,
      sourceDigest: source?.digest ?? null,
      sourceBytes: source?.sizeBytes ?? null,
      sourceUploadedAt: source?.usedAt ?? null,
    }
  }
}

/** Throws NOT_FOUND. */
export function getProject({ store }: Pick<ServiceDependencies, 'store'>, id: string): Project {
  const project = store.projects.find(id)
  if (project) return project
  throw new HostingError('NOT_FOUND', `Project "${id}" does not exist.`, {
    details: 'GET /api/projects lists all projects.',
    next: [{ description: 'List the projects', command: 'mcp projects list' }],
  })
}

function requireMove({ id, status }: Project, to: Project['status']): void {
  if (status === 'deleted')
    throw new HostingError('CONFLICT', `Project ${id} is deleted and cannot be changed.`)
  if (to !== status && !canMove(PROJECT_TRANSITIONS, status, to))
    throw new HostingError('CONFLICT', `Project ${id} is ${status} and cannot become ${to}.`)
}
