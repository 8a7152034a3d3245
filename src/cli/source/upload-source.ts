import { HostingError } from '../../shared/errors.ts'
import type { ProjectRecord } from '../../shared/projects.ts'
import type { ApiClient } from '../api-client.ts'
import { openArchive, type PackedSource, packSource } from './pack-source.ts'

export interface SourceFolder {
  directory: string
  /** Sent instead of the folder. */
  archive?: string | undefined
  /** The server's, and the project's that is made for it. */
  name: string
  /** Id of the linked project. */
  project: string | undefined
}

type KnownProject = Pick<ProjectRecord, 'id'> & Partial<ProjectRecord>

/** From this size on the API is asked first whether it has the archive. */
const WORTH_ASKING_BYTES = 1024 * 1024

/**
 * Packs the folder and makes it the source of the server's project, which is made with the first upload. Nothing is sent
 * that the API has. Gives what a build request names.
 */
export async function uploadSource(
  api: ApiClient,
  folder: SourceFolder,
  tell: (text: string) => void,
): Promise<{ source: string; project_id: string }> {
  tell('packing')
  const packed = await (folder.archive ? openArchive(folder.archive) : packSource(folder.directory))
  try {
    return await sendSource(api, folder, packed, tell)
  } finally {
    packed.remove()
  }
}

/** The same with a folder that is packed already. */
export async function sendSource(
  api: ApiClient,
  folder: SourceFolder,
  packed: PackedSource,
  tell: (text: string) => void,
): Promise<{ source: string; project_id: string }> {
  const { sourceId, id } = await giveSource(api, await findProject(api, folder), packed, tell)
  if (sourceId) return { source: sourceId, project_id: id }
  throw new HostingError(
    'UPSTREAM_FAILED',
    `${api.url} took the source of ${folder.name} but gave no id for it.`,
  )
}

async function giveSource(
  api: ApiClient,
  project: KnownProject,
  packed: PackedSource,
  tell: (text: string) => void,
): Promise<KnownProject> {
  if (project.sourceId && project.sourceDigest === packed.digest) return project
  const path = `/api/projects/${encodeURIComponent(project.id)}/source`
  const query = { digest: packed.digest }
  if (packed.bytes > WORTH_ASKING_BYTES) {
    const known = await unlessUnknown(api.request<ProjectRecord>('PUT', path, { query }))
    if (known) return known.data
  }
  const { data } = await api.request<ProjectRecord>('PUT', path, {
    query,
    upload: {
      file: packed.file,
      bytes: packed.bytes,
      contentType: packed.contentType,
      onProgress: sent => tell(`${toMib(sent)} of ${toMib(packed.bytes)} MiB`),
    },
  })
  return data
}

/** The linked project, the newest active one of the server's name, or a new one. */
async function findProject(api: ApiClient, { name, project }: SourceFolder): Promise<KnownProject> {
  // Not asked for, so that a key which may only build is enough; one that does not exist is told with the upload.
  if (project !== undefined) return { id: project }
  const query = { name, status: 'active', limit: 1 }
  const page = await unlessUnknown(api.get<{ items?: ProjectRecord[] }>('/api/projects', query))
  if (!page) throw takesNoSources(api.url)
  return page.items?.[0] ?? api.post<ProjectRecord>('/api/projects', { name })
}

async function unlessUnknown<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    const { code } = error as HostingError
    if (code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED') return undefined
    throw error
  }
}

/** An API that knows only the contract has no way to take an archive. */
function takesNoSources(url: string): HostingError {
  return new HostingError(
    'UPSTREAM_FAILED',
    `${url} takes no source archives, and this server is made of code.`,
    {
      next: [{ description: 'Build it with the local daemon', command: 'mcp build --context local' }],
    },
  )
}

function toMib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
