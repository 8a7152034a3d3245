import type { BuildPhase, ContainerBuildState } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import type { Page } from '../table.ts'

/** Strings are `''` until they have a value, as in the contract. */
export interface ContainerBuild {
  id: string
  projectId: string
  status: ContainerBuildState
  phase: BuildPhase
  storageLocation: string
  /** The archive at `storageLocation`. Null if it is not in the daemon's storage. */
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

export type ContainerBuildFilter = Partial<Pick<ContainerBuild, 'projectId' | 'status'>>

export class ContainerBuildStore extends RecordStore<ContainerBuild> {
  constructor(database: Database) {
    super(database, 'container_builds')
  }

  countByStatus(): { status: ContainerBuildState; count: number }[] {
    return this.database
      .prepare<{ status: ContainerBuildState; count: number }>(
        'SELECT status, count(*) AS count FROM container_builds GROUP BY status',
      )
      .all()
  }

  list({ projectId, status }: ContainerBuildFilter, limit: number, cursor?: string): Page<ContainerBuild> {
    return this.table.page({ filters: { project_id: projectId, status }, limit, cursor })
  }

  /** Oldest first. */
  listByStatus(status: ContainerBuildState): ContainerBuild[] {
    return this.table.list('WHERE status = ? ORDER BY created_at, id', [status])
  }

  /** The pending or running build of a project. */
  findActive(projectId: string): ContainerBuild | undefined {
    return this.table.find("WHERE project_id = ? AND status IN ('pending', 'in_progress')", [projectId])
  }

  /** Names, in the OCI layout, of the images from the newest successful build of each project that is not deleted. */
  currentImages(): string[] {
    const uris = this.database.values<string>(
      `SELECT image_uri FROM container_builds AS build WHERE status = 'succeeded' AND image_uri LIKE 'oci:%'
       AND EXISTS (SELECT 1 FROM projects WHERE projects.id = build.project_id AND projects.status <> 'deleted')
       AND id = (SELECT newest.id FROM container_builds AS newest WHERE newest.project_id = build.project_id
         AND newest.status = 'succeeded' ORDER BY newest.created_at DESC, newest.id DESC LIMIT 1)`,
    )
    return uris.map(uri => uri.split(':').slice(-2).join(':'))
  }

  update(build: ContainerBuild): void {
    this.table.update(build, [
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
    ])
  }
}
