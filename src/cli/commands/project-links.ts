import { relative } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command.ts'
import { findLink, removeLink, writeLink } from '../project-link.ts'
import { findProject } from '../projects.ts'

export const projectsLink = defineCommand({
  name: 'projects link',
  summary: 'link this folder to a project, so that commands in it need no id',
  description:
    'Writes .mcp/project.json, which git ignores and no source contains. It holds for the folders below, too, and for mcp build, deploy and up.',
  arguments: { project: { doc: 'a project: its id, a unique prefix of it, or its name', required: true } },
  examples: [
    { command: 'mcp projects link weather', does: 'this folder' },
    { command: 'mcp projects build', does: 'what needs no id then' },
  ],
  async run({ api, output, cwd }, { project }) {
    const client = await api()
    const { id, name = id, status } = await findProject(client, project)
    if (status === 'deleted')
      throw new HostingError('CONFLICT', `Project ${id} is deleted; nothing can be linked to it.`)
    const file = writeLink(cwd, { projectId: id, projectName: name })
    output.result({ projectId: id, projectName: name, file }, () => {
      output.line(`Linked to ${name} (${id}) by ${relative(cwd, file)}`)
      output.next(
        client.isContractOnly
          ? { description: 'Build an image of it', command: 'mcp projects build' }
          : { description: 'Upload this folder', command: 'mcp projects upload' },
      )
    })
  },
})

export const projectsUnlink = defineCommand({
  name: 'projects unlink',
  summary: 'forget which project this folder is linked to; the project stays',
  examples: [{ command: 'mcp projects unlink', does: 'removes .mcp/project.json' }],
  async run({ output, cwd }) {
    const link = findLink(cwd)
    if (!link) throw new HostingError('NOT_FOUND', 'This folder is linked to no project.')
    removeLink(link.file)
    output.result({ projectId: link.projectId, file: link.file }, () =>
      output.line(`Unlinked from ${link.projectName} (${link.projectId})`),
    )
  },
})
