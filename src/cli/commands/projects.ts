import { existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import type { ProjectRecord } from '../../shared/projects.ts'
import { PROJECT_STATES } from '../../shared/states.ts'
import { chosenProject, findLinked } from '../chosen-project.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { shortId } from '../deployment-table.ts'
import { folderOfProject, PROJECT_FILE_NAMES } from '../project.ts'
import { changeProject, getProject, listProjects, showProject } from '../projects.ts'
import { confirm } from '../prompt.ts'

const PROJECT = {
  project: { doc: 'a project: its id, a unique prefix of it, or its name (default: the linked one)' },
} as const

const FACTS = {
  description: { type: 'string', value: 'text', doc: 'what it is' },
  repository: { type: 'string', value: 'url', doc: 'where its code is kept' },
  framework: { type: 'string', value: 'name', doc: 'what it is written with' },
  templateId: { type: 'string', value: 'uuid', doc: 'template that it was made from' },
  baseImage: {
    type: 'string',
    value: 'image',
    doc: 'what its images are built upon: registry.example.com/node:24, oci:/folder, or local',
  },
  location: {
    type: 'string',
    value: 'uri',
    doc: 'where its source lies, with its digest: s3://bucket/app.zip#sha256=…',
  },
} as const

export const projectsList = defineCommand({
  name: 'projects list',
  summary: 'all projects, newest first',
  options: {
    status: {
      type: 'string',
      choices: PROJECT_STATES,
      value: 'status',
      doc: 'only those; deleted ones are not listed otherwise',
    },
  },
  examples: [{ command: 'mcp projects list --status archived', does: 'what was put aside' }],
  async run({ api, output }, { status }) {
    const projects = await listProjects(await api(), { status })
    const rows = projects.map(({ id, name, status, sourceId, updatedAt }) => [
      name,
      status,
      sourceId ? 'uploaded' : 'none',
      updatedAt.slice(0, 16).replace('T', ' '),
      shortId(id),
    ])
    output.result(projects, () => {
      output.table(['NAME', 'STATUS', 'SOURCE', 'UPDATED', 'ID'], rows, 'No projects.')
      if (rows.length === 0) output.next({ description: 'Make one', command: 'mcp projects create <name>' })
    })
  },
})

export const projectsCreate = defineCommand({
  name: 'projects create',
  summary: 'make a project',
  arguments: { name: { doc: 'its name', required: true } },
  options: FACTS,
  examples: [
    { command: "mcp projects create weather --description 'Forecasts'", does: 'without a source yet' },
  ],
  async run(context, { name, ...facts }) {
    const api = await context.api()
    const project = await api.post<ProjectRecord>('/api/projects', { name, ...toFields(facts) })
    context.output.result(project, () => {
      showProject(context.output, project)
      context.output.next({ description: 'Upload its source', command: `mcp projects upload ${project.id}` })
    })
  },
})

export const projectsShow = defineCommand({
  name: 'projects show',
  summary: 'one project',
  arguments: PROJECT,
  examples: [{ command: 'mcp projects show weather', does: 'by its name' }],
  async run({ api, output, cwd }, { project }) {
    const client = await api()
    const reference = project ?? (await chosenProject(client, cwd, undefined)).id
    const record = await getProject(client, reference)
    output.result(record, () => showProject(output, record))
  },
})

export const projectsUpdate = defineCommand({
  name: 'projects update',
  summary: 'change fields of a project',
  description: 'An empty value empties a field.',
  arguments: PROJECT,
  options: { name: { type: 'string', value: 'name', doc: 'another name' }, ...FACTS },
  examples: [{ command: 'mcp projects update weather --name forecasts', does: 'rename it' }],
  async run(context, { project, name, ...facts }) {
    await change(context, await named(context, project), {
      ...(name === undefined ? {} : { name }),
      ...toFields(facts),
    })
  },
})

export const projectsArchive = defineCommand({
  name: 'projects archive',
  summary: 'put a project aside; it takes no source until it is active again',
  arguments: PROJECT,
  options: { undo: { type: 'boolean', doc: 'make it active again' } },
  examples: [{ command: 'mcp projects archive weather --undo', does: 'take it up again' }],
  async run(context, { project, undo }) {
    await change(context, await named(context, project), { status: undo ? 'active' : 'archived' })
  },
})

export const projectsDelete = defineCommand({
  name: 'projects delete',
  summary: 'delete a project and its sources for good',
  description: 'Servers that were built of it stay.',
  arguments: PROJECT,
  examples: [{ command: 'mcp projects delete weather --yes', does: 'without asking' }],
  async run(context, { project }) {
    const record = await chosenProject(await context.api(), context.cwd, project)
    await confirm(context, `Delete the project ${[record.name, `(${record.id})`].filter(Boolean).join(' ')}?`)
    await change(context, record.id, { status: 'deleted' })
  },
})

export const projectsUpload = defineCommand({
  name: 'projects upload',
  summary: "upload a folder or an archive as a project's source",
  description:
    'Packs the folder without what .gitignore and .mcpignore name, node_modules, .venv, .git and .env. An archive is sent as it is. Nothing is sent that is there already.',
  arguments: { ...PROJECT, dir: { doc: 'the folder, or a .tar.gz or .zip archive (default: this folder)' } },
  examples: [
    { command: 'mcp projects upload weather ./weather', does: 'this folder' },
    { command: 'mcp projects upload weather weather.zip', does: 'this archive' },
    { command: 'mcp projects upload', does: 'this folder, to the project that it is linked to' },
  ],
  async run(context, input) {
    const { output, cwd } = context
    const { project, dir } = await whatAndWhere(input, cwd)
    const source = sourceAt(dir)
    const api = await context.api()
    const { id, name = id } = await chosenProject(api, cwd, project)
    const { uploadSource } = await import('../source/upload-source.ts')
    const folder = { ...source, name, project: id }
    await output.progress(`Uploading ${name}`, update =>
      uploadSource(api, folder, text => update(`Uploading ${name}: ${text}`)),
    )
    const record = await getProject(api, id)
    output.result(record, () => showProject(output, record))
  },
})

/** In a linked folder a single argument that is a path is what to upload. */
async function whatAndWhere(
  { project, dir }: { project: string | undefined; dir: string | undefined },
  cwd: string,
): Promise<{ project: string | undefined; dir: string }> {
  const isPath = project !== undefined && dir === undefined && existsSync(project)
  if (isPath && (await findLinked(cwd))) return { project: undefined, dir: project }
  return { project, dir: dir ?? '.' }
}

/** What `changeProject` takes: a reference as it was given, which an API without lists takes too. */
async function named({ api, cwd }: CommandContext, project: string | undefined): Promise<string> {
  return project ?? (await chosenProject(await api(), cwd, undefined)).id
}

/** A folder, which the project's file stands for too, or an archive. Throws INVALID_REQUEST for anything else. */
function sourceAt(path: string): { directory: string; archive?: string } {
  const status = statSync(path, { throwIfNoEntry: false })
  if (!status) throw new HostingError('INVALID_REQUEST', `${path} does not exist.`)
  const directory = folderOfProject(path)
  if (status.isDirectory() || (PROJECT_FILE_NAMES as readonly string[]).includes(basename(path)))
    return { directory }
  if (/\.(?:tar\.gz|tgz|zip)$/i.test(path)) return { directory, archive: path }
  throw new HostingError(
    'INVALID_REQUEST',
    `${path} is no source: expected a folder, or an archive (.tar.gz, .tgz, .zip).`,
  )
}

async function change(
  { api, output }: CommandContext,
  project: string,
  fields: Record<string, string | null>,
): Promise<void> {
  const record = await changeProject(await api(), project, fields)
  output.result(record, () => showProject(output, record))
}

/** Options as the API names them; `''` empties a field. */
function toFields(facts: { [K in keyof typeof FACTS]: string | undefined }): Record<string, string | null> {
  const { repository: repositoryUrl, location: storageLocation, ...others } = facts
  const given = Object.entries({ ...others, repositoryUrl, storageLocation }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return Object.fromEntries(given.map(([field, value]) => [field, value === '' ? null : value]))
}
