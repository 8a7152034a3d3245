import { existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { ProjectRecord } from '../../shared/contract/projects/projects.ts'
import { PROJECT_STATES } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatAge } from '../../shared/format/relative-time.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { ApiClient } from '../api/client.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { confirm } from '../output/prompt.ts'
import { shortId } from '../output/tables/deployment-table.ts'
import { findLinked, resolveProject } from '../project/chosen-project.ts'
import { folderOfProject, PROJECT_FILE_NAMES } from '../project/project.ts'
import { getProject, listProjects, showProject, updateProject } from '../project/projects.ts'

const PROJECT = {
  project: { kind: 'project', doc: 'project id or unique prefix, or name (default: the linked project)' },
} as const

const FIELD_OPTIONS = {
  description: { type: 'string', value: 'text', doc: 'description' },
  repository: { type: 'string', value: 'url', doc: 'URL of the repository' },
  framework: { type: 'string', value: 'name', doc: 'framework' },
  templateId: { type: 'string', value: 'uuid', doc: 'template of the project' },
  baseImage: {
    type: 'string',
    value: 'image',
    doc: 'base image: registry.example.com/node:24, oci:/folder, or local',
  },
  location: {
    type: 'string',
    value: 'uri',
    doc: 'location and digest of its source: s3://bucket/app.zip#sha256=…',
  },
} as const

export const projectsList = defineCommand({
  name: 'projects list',
  options: {
    status: {
      type: 'string',
      choices: PROJECT_STATES,
      value: 'status',
      doc: 'only projects with this status; deleted ones are hidden by default',
    },
  },
  examples: { 'mcp projects list --status archived': 'archived projects' },
  async run({ api, output }, { status }) {
    const projects = await listProjects(await api(), { status })
    const rows = projects.map(({ id, name, status, sourceId, updatedAt }) => [
      name,
      status,
      sourceId ? 'uploaded' : 'none',
      formatAge(updatedAt),
      shortId(id),
    ])
    output.result(projects, () => {
      output.table(['NAME', 'STATUS', 'SOURCE', 'UPDATED', 'ID'], rows, 'No projects.')
      if (rows.length === 0)
        output.next({ description: 'Create a project', command: 'mcp projects create <name>' })
    })
  },
})

export const projectsCreate = defineCommand({
  name: 'projects create',
  arguments: { name: { doc: 'name of the project', required: true } },
  options: FIELD_OPTIONS,
  examples: { "mcp projects create weather --description 'Forecasts'": 'a project without a source' },
  async run(context, { name, ...facts }) {
    const api = await context.api()
    const project = await api
      .post<ProjectRecord>('/api/projects', { name, ...toFields(facts) })
      .catch(error => {
        throw explainTakenName(error, name)
      })
    context.output.result(project, () => {
      showProject(context.output, project)
      context.output.next({ description: 'Upload its source', command: `mcp projects upload ${project.id}` })
    })
  },
})

export const projectsShow = defineCommand({
  name: 'projects show',
  arguments: PROJECT,
  examples: { 'mcp projects show weather': 'by name' },
  async run({ api, output, cwd }, { project }) {
    const client = await api()
    const reference = project ?? (await resolveProject(client, cwd, undefined)).id
    const record = await getProject(client, reference)
    output.result(record, () => showProject(output, record))
  },
})

export const projectsUpdate = defineCommand({
  name: 'projects update',
  description: 'Update fields of a project. An empty value clears a field.',
  arguments: PROJECT,
  options: { name: { type: 'string', value: 'name', doc: 'new name' }, ...FIELD_OPTIONS },
  examples: { 'mcp projects update weather --name forecasts': 'rename the project' },
  async run(context, { project, name, ...facts }) {
    const reference = await resolveReference(context, project)
    if (name !== undefined) await requireFreeName(await context.api(), name, reference)
    await update(context, reference, {
      ...(name === undefined ? {} : { name }),
      ...toFields(facts),
    })
  },
})

export const projectsArchive = defineCommand({
  name: 'projects archive',
  arguments: PROJECT,
  options: { undo: { type: 'boolean', doc: 'activate the project again' } },
  examples: { 'mcp projects archive weather --undo': 'activate it again' },
  async run(context, { project, undo }) {
    await update(context, await resolveReference(context, project), { status: undo ? 'active' : 'archived' })
  },
})

export const projectsDelete = defineCommand({
  name: 'projects delete',
  description: 'Delete a project and its sources. Servers built from it are kept.',
  arguments: PROJECT,
  examples: { 'mcp projects delete weather --yes': 'without confirmation' },
  async run(context, { project }) {
    const record = await resolveProject(await context.api(), context.cwd, project)
    const what = `project ${[record.name, `(${record.id})`].filter(Boolean).join(' ')}`
    await confirm(context, {
      question: `Permanently delete ${what}?`,
      action: `Deleting ${what} permanently`,
    })
    await update(context, record.id, { status: 'deleted' })
  },
})

export const projectsUpload = defineCommand({
  name: 'projects upload',
  description:
    'Pack and upload the folder, except for node_modules, .venv, .git, .env and everything in .gitignore and .mcpignore. An archive is uploaded unchanged. A source that was already uploaded is not sent again.',
  arguments: {
    ...PROJECT,
    dir: { kind: 'file', doc: 'folder, or .tar.gz or .zip archive (default: this folder)' },
  },
  examples: {
    'mcp projects upload weather ./weather': 'upload a folder',
    'mcp projects upload weather weather.zip': 'upload an archive',
    'mcp projects upload': 'upload this folder to the linked project',
  },
  async run(context, input) {
    const { output, cwd } = context
    const { project, dir } = await resolveUpload(input, cwd)
    const source = sourceAt(dir)
    const api = await context.api()
    const { id, name = id } = await resolveProject(api, cwd, project)
    const { uploadSource } = await import('../project/source/upload-source.ts')
    const folder = { ...source, name, project: id }
    await output.progress(`Uploading ${name}`, update =>
      uploadSource(api, folder, text => update(`Uploading ${name}: ${text}`)),
    )
    const record = await getProject(api, id)
    output.result(record, () => showProject(output, record))
  },
})

/** Adds a command that shows the existing project to an error about a taken name. Returns other errors unchanged. */
function explainTakenName(error: unknown, name: string): unknown {
  if (!(error instanceof HostingError) || error.code !== 'CONFLICT') return error
  const { code, message, details } = error
  const next = [
    { description: 'Show the existing project', command: `mcp projects show ${quoteShellWord(name)}` },
  ]
  return new HostingError(code, message, { details, next, cause: error })
}

/** The service interface accepts any name in an update, so only the command line refuses a second project with the same name. */
async function requireFreeName(api: ApiClient, name: string, reference: string): Promise<void> {
  const named = await listProjects(api, { name }).catch(error => {
    if (api.isContractOnly) return []
    throw error
  })
  if (named.length === 0) return
  const { id } = await getProject(api, reference)
  const other = named.find(one => one.id !== id)
  if (!other) return
  const conflict = new HostingError(
    'CONFLICT',
    `Project "${name}" already exists (${other.id}, ${other.status}).`,
    {
      details: 'Choose another name.',
    },
  )
  throw explainTakenName(conflict, name)
}

/** In a linked folder, a single argument that is a path is the source to upload. */
async function resolveUpload(
  { project, dir }: { project: string | undefined; dir: string | undefined },
  cwd: string,
): Promise<{ project: string | undefined; dir: string }> {
  const isPath = project !== undefined && dir === undefined && existsSync(project)
  if (isPath && (await findLinked(cwd))) return { project: undefined, dir: project }
  return { project, dir: dir ?? '.' }
}

/** Returns a given reference unchanged, because an API without lists cannot resolve it. */
async function resolveReference({ api, cwd }: CommandContext, project: string | undefined): Promise<string> {
  return project ?? (await resolveProject(await api(), cwd, undefined)).id
}

/** A folder, an archive, or a project file, which stands for its folder. Throws INVALID_REQUEST for anything else. */
function sourceAt(path: string): { directory: string; archive?: string } {
  const status = statSync(path, { throwIfNoEntry: false })
  if (!status) throw new HostingError('INVALID_REQUEST', `${path} does not exist.`)
  const directory = folderOfProject(path)
  if (status.isDirectory() || (PROJECT_FILE_NAMES as readonly string[]).includes(basename(path)))
    return { directory }
  if (/\.(?:tar\.gz|tgz|zip)$/i.test(path)) return { directory, archive: path }
  throw new HostingError(
    'INVALID_REQUEST',
    `${path} is not a source: expected a folder or an archive (.tar.gz, .tgz, .zip).`,
  )
}

async function update(
  { api, output }: CommandContext,
  project: string,
  fields: Record<string, string | null>,
): Promise<void> {
  const record = await updateProject(await api(), project, fields)
  output.result(record, () => showProject(output, record))
}

/** Option values under the API's field names. `''` clears a field. */
function toFields(
  facts: { [K in keyof typeof FIELD_OPTIONS]: string | undefined },
): Record<string, string | null> {
  const { repository: repositoryUrl, location: storageLocation, ...others } = facts
  const given = Object.entries({ ...others, repositoryUrl, storageLocation }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return Object.fromEntries(given.map(([field, value]) => [field, value === '' ? null : value]))
}
