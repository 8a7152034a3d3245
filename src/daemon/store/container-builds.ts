import type { BuildPhase } from '../../shared/container-builds.ts'
import type { ContainerBuildState } from '../../shared/states.ts'
import type { Database } from './database.ts'
import { selectPage } from './keyset.ts'

/** Text is `''` until it has a value, as the contract shows it. */
export interface ContainerBuild {
  id: string
  projectId: string
  status: ContainerBuildState
  phase: BuildPhase
  storageLocation: string
  /** The archive at that location; null when it was not uploaded here. */
  sourceId: string | null
  mcpId: string
  imageRepository: string
  imageUri: string
  imageDigest: string
  errorMessage: string
  startTime: string
  endTime: string
  createdAt: string
  updatedAt: string
}

export interface ContainerBuildFilter {
  projectId?: string | undefined
  status?: ContainerBuildState | undefined
}

interface ContainerBuildRow {
  id: string
  project_id: string
  status: ContainerBuildState
  phase: BuildPhase
  storage_location: string
  source_id: string | null
  mcp_id: string
  image_repository: string
  image_uri: string
  image_digest: string
  error_message: string
  start_time: string
  end_time: string
  created_at: string
  updated_at: string
}

export class ContainerBuildStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  countByStatus(): { status: ContainerBuildState; count: number }[] {
    return this.#database
      .prepare<{ status: ContainerBuildState; count: number }>(
        'SELECT status, count(*) AS count FROM container_builds GROUP BY status',
      )
      .all()
  }

  find(id: string): ContainerBuild | undefined {
    const row = this.#database
      .prepare<ContainerBuildRow>('SELECT * FROM container_builds WHERE id = ?')
      .get([id])
    return row && toBuild(row)
  }

  list(
    { projectId, status }: ContainerBuildFilter,
    limit: number,
    cursor?: string,
  ): { items: ContainerBuild[]; nextCursor: string | null } {
    const { rows, nextCursor } = selectPage<ContainerBuildRow>(this.#database, {
      table: 'container_builds',
      filters: { project_id: projectId, status },
      limit,
      cursor,
    })
    return { items: rows.map(toBuild), nextCursor }
  }

  /** Oldest first. */
  withStatus(status: ContainerBuildState): ContainerBuild[] {
    return this.#database
      .prepare<ContainerBuildRow>('SELECT * FROM container_builds WHERE status = ? ORDER BY created_at, id')
      .all([status])
      .map(toBuild)
  }

  /** The one of the project that waits or runs. */
  findRunning(projectId: string): ContainerBuild | undefined {
    const row = this.#database
      .prepare<ContainerBuildRow>(
        "SELECT * FROM container_builds WHERE project_id = ? AND status IN ('pending', 'in_progress')",
      )
      .get([projectId])
    return row && toBuild(row)
  }

  create(build: ContainerBuild): void {
    this.#database
      .prepare(
        `INSERT INTO container_builds (id, project_id, status, phase, storage_location, source_id, created_at, updated_at)
         VALUES (@id, @projectId, @status, @phase, @storageLocation, @sourceId, @createdAt, @updatedAt)`,
      )
      .run(
        pick(build, [
          'id',
          'projectId',
          'status',
          'phase',
          'storageLocation',
          'sourceId',
          'createdAt',
          'updatedAt',
        ]),
      )
  }

  update(build: ContainerBuild): void {
    this.#database
      .prepare(
        `UPDATE container_builds SET status = @status, phase = @phase, mcp_id = @mcpId, image_repository = @imageRepository,
           image_uri = @imageUri, image_digest = @imageDigest, error_message = @errorMessage, start_time = @startTime,
           end_time = @endTime, updated_at = @updatedAt WHERE id = @id`,
      )
      .run(
        pick(build, [
          'id',
          'status',
          'phase',
          'mcpId',
          'imageRepository',
          'imageUri',
          'imageDigest',
          'errorMessage',
          'startTime',
          'endTime',
          'updatedAt',
        ]),
      )
  }
}

function pick<Key extends keyof ContainerBuild>(
  build: ContainerBuild,
  keys: Key[],
): Pick<ContainerBuild, Key> {
  return Object.fromEntries(keys.map(key => [key, build[key]])) as Pick<ContainerBuild, Key>
}

function toBuild(row: ContainerBuildRow): ContainerBuild {
  return {
    id: row.id,
    projectId: row.project_id,
    status: row.status,
    phase: row.phase,
    storageLocation: row.storage_location,
    sourceId: row.source_id,
    mcpId: row.mcp_id,
    imageRepository: row.image_repository,
    imageUri: row.image_uri,
    imageDigest: row.image_digest,
    errorMessage: row.error_message,
    startTime: row.start_time,
    endTime: row.end_time,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
