import type { Environment } from '../../shared/contract/states.ts'
import type { ApiClient } from '../api/client.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { confirm } from '../output/prompt.ts'
import { projectsOfServer } from '../project/projects.ts'
import { ONE_DEPLOYMENT } from '../targets/deployment-action.ts'
import { resolveBuild, resolveDeployment } from '../targets/resolve-id.ts'
import {
  describeContents,
  projectSteps,
  type ServerContents,
  serverContents,
} from '../targets/server-removal.ts'

export default defineCommand({
  name: 'remove',
  description:
    'Remove a server: its deployments in all environments, builds, subdomains and sign-ins. Keeps its project, chats and suite runs, and without --data also its stored data and variables. With a deployment id, remove that deployment and its logs. With an mcp_id, remove a build that no deployment uses.',
  arguments: {
    id: {
      kind: 'server',
      required: true,
      isNeverImplied: true,
      doc: 'server name, deployment id or unique prefix, or mcp_id of a build',
    },
  },
  options: {
    env: { ...ONE_DEPLOYMENT.options.env, doc: 'only this environment, and no builds' },
    data: { type: 'boolean', doc: 'also remove the stored data and variables of the server' },
  },
  examples: {
    'mcp remove weather': 'the whole server, after confirmation',
    'mcp remove weather --env staging': 'only staging',
    'mcp remove weather --data --yes': 'with its data, without confirmation',
    'mcp remove dep_4h7k': 'one deployment',
    'mcp remove mcp_9x2m': 'one build',
  },
  async run(context, { id: reference, env, data }) {
    const api = await context.api()
    const contents = await serverContents(api, reference, env)
    if (contents) return removeServer(context, contents, { environment: env, data })
    if (data && !/^(dep|mcp)_/.test(reference)) return removeData(context, reference, env)
    await removeOne(context, api, reference, env)
  },
})

interface Options {
  environment: Environment | undefined
  data: boolean | undefined
}

async function removeServer(context: CommandContext, contents: ServerContents, options: Options) {
  const { output } = context
  const { name, projects, ...counts } = contents
  const where = options.environment ? `${name} in ${options.environment}` : name
  const removed = `${describeContents(contents)}${options.data ? ', stored data and variables' : ''}`
  output.note(`This removes ${removed}.`)
  await confirm(context, {
    question: `Permanently remove ${where}?`,
    action: `Removing ${where} permanently`,
  })
  await output.progress(`Removing ${where}`, () => requestRemoval(context, name, options))
  const kept = projects.length > 0 && { kept_projects: projects }
  output.result({ removed: name, ...counts, data: options.data ?? false, ...kept }, () => {
    output.line(`Removed ${where}: ${removed}`)
    output.next(
      { description: 'List what remains', command: 'mcp list' },
      ...(options.data || options.environment
        ? []
        : [
            {
              description: 'Also remove its stored data and variables',
              command: `mcp remove ${name} --data`,
            },
          ]),
      ...projectSteps(projects),
    )
  })
}

/** Removes the data of a server that has no builds or deployments left. */
async function removeData(context: CommandContext, name: string, environment: Environment | undefined) {
  const where = environment ? `${name} in ${environment}` : name
  await confirm(context, {
    question: `Permanently remove the stored data and variables of ${where}?`,
    action: `Removing the stored data and variables of ${where} permanently`,
  })
  const projects = environment ? [] : await projectsOfServer(await context.api(), name)
  await requestRemoval(context, name, { environment, data: true })
  const kept = projects.length > 0 && { kept_projects: projects }
  context.output.result({ removed: name, data: true, ...kept }, () => {
    context.output.line(`Removed the stored data and variables of ${where}`)
    context.output.next(...projectSteps(projects))
  })
}

async function requestRemoval({ api }: CommandContext, name: string, { environment, data }: Options) {
  const query = new URLSearchParams({ ...(environment && { environment }), ...(data && { data: 'true' }) })
  await (await api()).delete(`/v1/servers/${encodeURIComponent(name)}${query.size > 0 ? `?${query}` : ''}`)
}

async function removeOne(
  context: CommandContext,
  api: ApiClient,
  reference: string,
  environment: Environment | undefined,
) {
  const { output } = context
  const isBuild = reference.startsWith('mcp_')
  const label = isBuild ? 'build' : 'deployment'
  const id = isBuild
    ? await resolveBuild(api, reference)
    : await resolveDeployment(api, reference, { ...(environment && { environment }) })
  await confirm(context, {
    question: `Permanently remove ${label} ${id}?`,
    action: `Removing ${label} ${id} permanently`,
  })
  await api.delete(`/v1/${isBuild ? 'build' : 'deploy'}/${encodeURIComponent(id)}`)
  output.result({ removed: id }, () => {
    output.line(`Removed ${label} ${id}`)
    output.next({ description: 'List what remains', command: 'mcp list' })
  })
}
