import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ApiClient } from '../../api/client.ts'
import { openArchive, type PackedSource, packSource } from './pack-source.ts'

export interface SourceFolder {
  directory: string
  /** Archive to send instead of the folder. */
  archive?: string | undefined
  /** Name of the server, and of a project created for it. */
  name: string
  /** Id of the linked project. */
  project: string | undefined
}

type KnownProject = Pick<ProjectRecord, 'id'> & Partial<ProjectRecord>

/** Minimum size for asking the API first whether it already has the archive. */
const ASK_FIRST_BYTES = 1024 * 1024

/**
 * Packs the folder and makes it the source of the server's project, which the first upload creates. Sends nothing that the
 * project already has. For large archives, asks the API first. Returns the fields for the build request.
 */
export async function uploadSource(
  api: ApiClient,
  folder: SourceFolder,
  report: (text: string) => void,
): Promise<{ source: string; project_id: string }> {
  report('packing')
  const packed = await (folder.archive ? openArchive(folder.archive) : packSource(folder.directory))
  try {
    return await sendSource(api, folder, packed, report)
  } finally {
    packed.remove()
  }
}

/** Like `uploadSource`, for a packed folder. */
export async function sendSource(
  api: ApiClient,
  folder: SourceFolder,
  packed: PackedSource,
  report: (text: string) => void,
): Promise<{ source: string; project_id: string }> {
  const { sourceId, id } = await ensureSource(api, await findProject(api, folder), packed, report)
  if (sourceId) return { source: sourceId, project_id: id }
  throw new HostingError(
    'UPSTREAM_FAILED',
    `${api.url} accepted the source of ${folder.name} but returned no id.`,
  )
}

async function ensureSource(
  api: ApiClient,
  project: KnownProject,
  packed: PackedSource,
  report: (text: string) => void,
): Promise<KnownProject> {
  if (project.sourceId && project.sourceDigest === packed.digest) return project
  const path = `/api/projects/${encodeURIComponent(project.id)}/source`
  const query = { digest: packed.digest }
  if (packed.bytes > ASK_FIRST_BYTES) {
    const known = await undefinedIfUnknown(api.request<ProjectRecord>('PUT', path, { query }))
    if (known) return known
  }
  return api.request<ProjectRecord>('PUT', path, {
    query,
    upload: {
      file: packed.file,
      bytes: packed.bytes,
      contentType: packed.contentType,
      onProgress: sent => report(`${toMib(sent)} of ${toMib(packed.bytes)} MiB`),
    },
  })
}

/** The linked project, the newest active project with the server's name, or a new one. */
async function findProject(api: ApiClient, { name, project }: SourceFolder): Promise<KnownProject> {
  // Not looked up, so that a key with only the scope for builds suffices. The upload reports a missing project.
  if (project !== undefined) return { id: project }
  const found = await findNamed(api, name)
  if (found) return found
  try {
    return await api.post<ProjectRecord>('/api/projects', { name })
  } catch (error) {
    // Another command may have created the project in the meantime.
    const other = (error as HostingError).code === 'CONFLICT' ? await findNamed(api, name) : undefined
    if (other) return other
    throw error
  }
}

async function findNamed(api: ApiClient, name: string): Promise<KnownProject | undefined> {
  const query = { name, status: 'active', limit: 1 }
  const page = await undefinedIfUnknown(api.get<{ items?: ProjectRecord[] }>('/api/projects', query))
  if (!page) throw unsupportedSources(api.url)
  return page.items?.[0]
}

async function undefinedIfUnknown<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    const { code } = error as HostingError
    if (code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED') return undefined
    throw error
  }
}

/** An API that implements only the contract cannot accept archives. */
function unsupportedSources(url: string): HostingError {
  return new HostingError(
    'UPSTREAM_FAILED',
    `${url} does not accept source archives, but this server has code.`,
    {
      next: [{ description: 'Build it with the local daemon', command: 'mcp build --context local' }],
    },
  )
}

function toMib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
