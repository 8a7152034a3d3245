import type { ProjectState } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { Table } from '../table.ts'

export interface Project {
  id: string
  name: string
  description: string | null
  repositoryUrl: string | null
  framework: string | null
  status: ProjectState
  storageLocation: string | null
  templateId: string | null
  /** Base of its images. Null for the daemon's default. */
  baseImage: string | null
  /** The uploaded archive at `storageLocation`. Null for a location that a client set. */
  sourceId: string | null
  createdAt: string
  updatedAt: string
}

export interface ProjectFilter {
  name?: string
  status?: ProjectState
}

export class ProjectStore {
  readonly #table: Table<Project>

  constructor(database: Database) {
    this.#table = new Table(database, 'projects')
  }

  find(id: string): Project | undefined {
    return this.#table.find('WHERE id = ?', [id])
  }

  /** Omits deleted projects unless the filter names that status. */
  list(
    { name, status }: ProjectFilter,
    limit: number,
    cursor?: string,
  ): { items: Project[]; nextCursor: string | null } {
    const only = status === undefined ? { only: "status <> 'deleted'" } : {}
    return this.#table.page({ filters: { name, status }, ...only, limit, cursor })
  }

  create(project: Project): void {
    this.#table.insert(project)
  }

  update(project: Project): void {
    this.#table.update(project, [
      'name',
      'description',
      'repositoryUrl',
      'framework',
      'status',
      'storageLocation',
      'templateId',
      'sourceId',
      'baseImage',
      'updatedAt',
    ])
  }
}
