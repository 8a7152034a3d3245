import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import type { Page } from '../table.ts'

/**
 * A project as the API shows it, without the digest, size and upload time of its source. `sourceId` is the archive at
 * `storageLocation`, null if it is not in the daemon's storage.
 */
export type Project = Omit<ProjectRecord, 'sourceDigest' | 'sourceBytes' | 'sourceUploadedAt'>

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

  /** A project with this name that is not deleted. Older databases may have several. */
  findNamed(name: string): Project | undefined {
    return this.table.find("WHERE name = ? AND status <> 'deleted' ORDER BY created_at DESC LIMIT 1", [name])
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
