import { relative } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import { findLink, removeLink, writeLink } from '../project/project-link.ts'
import { findProject } from '../project/projects.ts'

export const projectsLink = defineCommand({
  name: 'projects link',
  description:
    'Write .mcp/project.json, which is excluded from git and from sources. The link also applies to subfolders and to mcp build, deploy and up.',
  arguments: { project: { kind: 'project', doc: 'project id or unique prefix, or name', required: true } },
  examples: {
    'mcp projects link weather': 'link this folder',
    'mcp projects build': 'build it without giving an id',
  },
  async run({ api, output, cwd }, { project }) {
    const client = await api()
    const { id, name = id, status } = await findProject(client, project)
    if (status === 'deleted')
      throw new HostingError('CONFLICT', `Project ${id} is deleted and cannot be linked.`)
    const file = writeLink(cwd, { projectId: id, projectName: name })
    output.result({ projectId: id, projectName: name, file }, () => {
      output.line(`Linked to ${name} (${id}) in ${relative(cwd, file)}`)
      output.next(
        client.isContractOnly
          ? { description: 'Build an image', command: 'mcp projects build' }
          : { description: 'Upload this folder', command: 'mcp projects upload' },
      )
    })
  },
})

export const projectsUnlink = defineCommand({
  name: 'projects unlink',
  examples: { 'mcp projects unlink': 'remove .mcp/project.json' },
  async run({ output, cwd }) {
    const link = findLink(cwd)
    if (!link) throw new HostingError('NOT_FOUND', 'This folder is not linked to a project.')
    removeLink(link.file)
    output.result({ projectId: link.projectId, file: link.file }, () =>
      output.line(`Unlinked from ${link.projectName} (${link.projectId})`),
    )
  },
})
