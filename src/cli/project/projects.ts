import type { ProjectRecord } from '../../shared/contract/projects/projects.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatBytes } from '../../shared/format/metric-format.ts'
import { formatAge } from '../../shared/format/relative-time.ts'
import type { ApiClient } from '../api/client.ts'
import { listItems } from '../api/list-items.ts'
import type { Output } from '../output/output.ts'

const FULL_ID = /^prj_[0-9a-z]{20}$/

export function listProjects(
  api: ApiClient,
  filter: { name?: string; status?: string | undefined } = {},
): Promise<ProjectRecord[]> {
  return listItems(api, '/api/projects', filter)
}

/** Finds a project by id, unique prefix or name. Throws NOT_FOUND, or INVALID_REQUEST for an ambiguous reference. */
export async function getProject(api: ApiClient, reference: string): Promise<ProjectRecord> {
  if (FULL_ID.test(reference)) return api.get<ProjectRecord>(`/api/projects/${reference}`)
  return pickProject(await listProjects(api), reference)
}

/**
 * Projects with the sources of a server: those of its builds, and the one with its name, which the first upload creates. Empty if
 * the API shows no projects.
 */
export async function projectsOfServer(
  api: ApiClient,
  name: string,
  ofBuilds: readonly string[] = [],
): Promise<Pick<ProjectRecord, 'id' | 'name'>[]> {
  try {
    const named = await listProjects(api, { name })
    const others = ofBuilds.filter(id => !named.some(one => one.id === id))
    const read = await Promise.all(
      others.map(id => api.get<ProjectRecord>(`/api/projects/${id}`).catch(ignoreHidden)),
    )
    const found = [...named, ...read].filter(one => one !== undefined && one.status !== 'deleted')
    return found.map(one => ({ id: one!.id, name: one!.name }))
  } catch (error) {
    ignoreHidden(error)
    return []
  }
}

/** Ignores that an API has no projects, or does not show one. */
function ignoreHidden(error: unknown): undefined {
  const { code } = error as HostingError
  if (!['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'INSUFFICIENT_SCOPE'].includes(code)) throw error
}

/** A project as far as the API describes it. */
export type ResolvedProject = Pick<ProjectRecord, 'id'> & Partial<ProjectRecord>

/** Like `getProject`, but returns the reference itself if the API neither lists nor shows projects. */
export async function findProject(api: ApiClient, reference: string): Promise<ResolvedProject> {
  try {
    return await getProject(api, reference)
  } catch (error) {
    if (api.isContractOnly) return { id: reference }
    throw error
  }
}

function pickProject(all: ProjectRecord[], reference: string): ProjectRecord {
  const named = all.filter(({ name }) => name === reference)
  const found = named.length > 0 ? named : all.filter(({ id }) => isPrefix(reference, id))
  if (found.length === 1) return found[0]!
  if (found.length === 0)
    throw new HostingError('NOT_FOUND', `Project "${reference}" does not exist.`, {
      next: [{ description: 'List projects', command: 'mcp projects list' }],
    })
  throw new HostingError('INVALID_REQUEST', `"${reference}" matches ${found.length} projects. Give an id.`, {
    details: found.map(({ id, name }) => `${id}  ${name}`).join('\n'),
  })
}

export async function updateProject(
  api: ApiClient,
  reference: string,
  fields: Record<string, string | null>,
): Promise<ProjectRecord> {
  const id = FULL_ID.test(reference) ? reference : (await findProject(api, reference)).id
  const path = `/api/projects/${encodeURIComponent(id)}`
  return api.request('PATCH', path, { body: fields })
}

/** Other APIs may send fewer fields. */
export function showProject(output: Output, project: Partial<ProjectRecord>): void {
  output.line([output.style.bold(project.name ?? 'project'), project.status].filter(Boolean).join('  '))
  output.fields({
    id: project.id,
    description: project.description ?? undefined,
    repository: project.repositoryUrl ?? undefined,
    framework: project.framework ?? undefined,
    template: project.templateId ?? undefined,
    base: project.baseImage ?? undefined,
    ...(project.status === 'deleted' ? {} : sourceFields(project)),
    updated: project.updatedAt && formatAge(project.updatedAt),
  })
}

/** Fields of the project's source, which is deleted with the project. */
function sourceFields(project: Partial<ProjectRecord>): Record<string, string | undefined> {
  return {
    source: project.sourceId ?? undefined,
    location: project.storageLocation ?? undefined,
    size: project.sourceBytes == null ? undefined : formatBytes(project.sourceBytes),
    uploaded: project.sourceUploadedAt ? formatAge(project.sourceUploadedAt) : undefined,
  }
}

const MIN_PREFIX_LENGTH = 4

function isPrefix(reference: string, id: string): boolean {
  const bare = reference.replace(/^prj_/, '')
  return bare.length >= MIN_PREFIX_LENGTH && id.startsWith(`prj_${bare}`)
}
