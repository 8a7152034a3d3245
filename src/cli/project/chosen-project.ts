import { HostingError } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import { readProjectSource } from './formats/read-project-source.ts'
import { findProjectFile } from './project.ts'
import { findLink, type ProjectLink } from './project-link.ts'
import { findProject, type ResolvedProject } from './projects.ts'

/**
 * The named project, otherwise the project in the link or the project file. Throws INVALID_REQUEST when no project is named or
 * linked, and NOT_FOUND when the project no longer exists.
 */
export async function resolveProject(
  api: ApiClient,
  cwd: string,
  given: string | undefined,
): Promise<ResolvedProject> {
  if (given !== undefined) return findProject(api, given)
  const linked = await findLinked(cwd)
  if (!linked) throw notLinked()
  const { projectId, file } = linked
  const found: ResolvedProject = await api
    .get<ResolvedProject>(`/api/projects/${encodeURIComponent(projectId)}`)
    .catch(error => {
      if (api.isContractOnly) return { id: projectId, name: linked.projectName }
      if ((error as HostingError).code !== 'NOT_FOUND') throw error
      throw linkError(linked, `does not exist at ${api.url}`, error)
    })
  if (found.status === 'deleted') throw linkError({ projectName: found.name ?? projectId }, 'was deleted')
  return { ...found, id: projectId }

  function linkError(
    { projectName }: Pick<ProjectLink, 'projectName'>,
    why: string,
    cause?: unknown,
  ): HostingError {
    return new HostingError('NOT_FOUND', `Linked project ${projectName} (${projectId}) ${why}.`, {
      details: `The link is stored in ${file}.`,
      next: [
        { description: 'Link another project', command: 'mcp projects link <project>' },
        { description: 'Remove the link', command: 'mcp projects unlink' },
      ],
      cause,
    })
  }
}

/** Project of the link or of the project file. */
export async function findLinked(cwd: string): Promise<(ProjectLink & { file: string }) | undefined> {
  const link = findLink(cwd)
  const file = link ? undefined : findProjectFile(cwd)
  if (!file) return link
  const { value } = await readProjectSource(file)
  const { project: projectId, name } = (value ?? {}) as { project?: unknown; name?: unknown }
  return typeof projectId === 'string'
    ? { projectId, projectName: String(name ?? 'of this folder'), file }
    : undefined
}

function notLinked(): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    'No project given, and this folder is not linked to a project.',
    {
      next: [
        { description: 'List projects', command: 'mcp projects list' },
        { description: 'Or link this folder to a project', command: 'mcp projects link <project>' },
      ],
    },
  )
}
