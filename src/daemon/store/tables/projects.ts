import type { ProjectState } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import type { Page } from '../table.ts'

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

export type ProjectFilter = Partial<Pick<Project, 'name' | 'status'>>

export class ProjectStore extends RecordStore<Project> {
  constructor(database: Database) {
    super(database, 'projects')
  }

  /** Omits deleted projects unless the filter names that status. */
  list({ name, status }: ProjectFilter, limit: number, cursor?: string): Page<Project> {
    const only = status === undefined ? { only: "status <> 'deleted'" } : {}
    return this.table.page({ filters: { name, status }, ...only, limit, cursor })
  }

  update(project: Project): void {
    this.table.update(project, [
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
