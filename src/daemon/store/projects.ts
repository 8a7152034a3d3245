import type { ProjectState } from '../../shared/states.ts'
import type { Database } from './database.ts'
import { selectPage } from './keyset.ts'

export interface Project {
  id: string
  name: string
  description: string | null
  repositoryUrl: string | null
  framework: string | null
  status: ProjectState
  storageLocation: string | null
  templateId: string | null
  /** What its images are built upon; null: what the daemon is set to. */
  baseImage: string | null
  /** The uploaded archive at `storageLocation`; null when that was set otherwise. */
  sourceId: string | null
  createdAt: string
  updatedAt: string
}

export interface ProjectFilter {
  name?: string
  status?: ProjectState
}

interface ProjectRow {
  id: string
  name: string
  description: string | null
  repository_url: string | null
  framework: string | null
  status: ProjectState
  storage_location: string | null
  template_id: string | null
  source_id: string | null
  base_image: string | null
  created_at: string
  updated_at: string
}

export class ProjectStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(id: string): Project | undefined {
    const row = this.#database.prepare<ProjectRow>('SELECT * FROM projects WHERE id = ?').get([id])
    return row && toProject(row)
  }

  /** Deleted ones only when their status is asked for. */
  list(
    filter: ProjectFilter,
    limit: number,
    cursor?: string,
  ): { items: Project[]; nextCursor: string | null } {
    const { rows, nextCursor } = selectPage<ProjectRow>(this.#database, {
      table: 'projects',
      filters: { name: filter.name, status: filter.status },
      ...(filter.status === undefined ? { only: "status <> 'deleted'" } : {}),
      limit,
      cursor,
    })
    return { items: rows.map(toProject), nextCursor }
  }

  create(project: Project): void {
    this.#database
      .prepare(
        `INSERT INTO projects (id, name, description, repository_url, framework, status, storage_location, template_id, source_id, base_image, created_at, updated_at)
         VALUES (@id, @name, @description, @repository_url, @framework, @status, @storage_location, @template_id, @source_id, @base_image, @created_at, @updated_at)`,
      )
      .run(toRow(project))
  }

  update(project: Project): void {
    const { created_at: _, ...row } = toRow(project)
    this.#database
      .prepare(
        `UPDATE projects SET name = @name, description = @description, repository_url = @repository_url, framework = @framework,
           status = @status, storage_location = @storage_location, template_id = @template_id, source_id = @source_id, base_image = @base_image,
           updated_at = @updated_at WHERE id = @id`,
      )
      .run(row)
  }
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    repositoryUrl: row.repository_url,
    framework: row.framework,
    status: row.status,
    storageLocation: row.storage_location,
    templateId: row.template_id,
    sourceId: row.source_id,
    baseImage: row.base_image,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toRow(project: Project): ProjectRow {
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    repository_url: project.repositoryUrl,
    framework: project.framework,
    status: project.status,
    storage_location: project.storageLocation,
    template_id: project.templateId,
    source_id: project.sourceId,
    base_image: project.baseImage,
    created_at: project.createdAt,
    updated_at: project.updatedAt,
  }
}
