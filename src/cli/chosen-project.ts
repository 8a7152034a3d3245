import { HostingError } from '../shared/errors.ts'
import type { ApiClient } from './api-client.ts'
import { findProjectFile } from './project.ts'
import { findLink, type ProjectLink } from './project-link.ts'
import { readProjectSource } from './project-source.ts'
import { type ChosenProject, findProject } from './projects.ts'

/**
 * The project that is meant: the named one, that of the link, or that of the project file. Throws INVALID_REQUEST where there
 * is none of them, and NOT_FOUND for one that is gone.
 */
export async function chosenProject(
  api: ApiClient,
  cwd: string,
  given: string | undefined,
): Promise<ChosenProject> {
  if (given !== undefined) return findProject(api, given)
  const linked = await findLinked(cwd)
  if (!linked) throw notLinked()
  const { projectId, file } = linked
  const found: ChosenProject = await api
    .get<ChosenProject>(`/api/projects/${encodeURIComponent(projectId)}`)
    .catch(error => {
      if (api.isContractOnly) return { id: projectId, name: linked.projectName }
      if ((error as HostingError).code !== 'NOT_FOUND') throw error
      throw gone(linked, `does not exist at ${api.url}`, error)
    })
  if (found.status === 'deleted') throw gone({ projectName: found.name ?? projectId }, 'was deleted')
  return { ...found, id: projectId }

  function gone(
    { projectName }: Pick<ProjectLink, 'projectName'>,
    why: string,
    cause?: unknown,
  ): HostingError {
    return new HostingError('NOT_FOUND', `The linked project ${projectName} (${projectId}) ${why}.`, {
      details: `The link is in ${file}.`,
      next: [
        { description: 'Link another one', command: 'mcp projects link <project>' },
        { description: 'Or none', command: 'mcp projects unlink' },
      ],
      cause,
    })
  }
}

/** That of the link, else that of the project file. */
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
  return new HostingError('INVALID_REQUEST', 'No project is named, and this folder is linked to none.', {
    next: [
      { description: 'Name one', command: 'mcp projects list' },
      { description: 'Or link this folder to one', command: 'mcp projects link <project>' },
    ],
  })
}
