import { HostingError } from '../../shared/errors.ts'
import type { Choice } from '../choices/choice.ts'
import { serverChoices } from '../choices/server-choices.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { findDev } from '../dev/dev-mark.ts'
import { listBuilds } from '../targets/resolve-id.ts'
import { missingValue } from './missing-value.ts'
import { pick } from './pick.ts'

interface ChooseServerOptions {
  /** True for a command such as `mcp remove`. Without a terminal, the server must be named. */
  isDestructive?: boolean | undefined
  /** Name of the argument in messages. */
  argument?: string
}

/**
 * Server for a command that names none: the server of this folder, otherwise the only server (unless `isDestructive`), otherwise
 * the one chosen at a terminal. Prints the name of an implied server. Throws INVALID_REQUEST naming the servers without a
 * terminal, and when there are none.
 */
export async function chooseServer(
  context: CommandContext,
  wanted: ChooseServerOptions = {},
): Promise<string> {
  const { output } = context
  const { isDestructive, argument = '<server>' } = wanted
  const implied = isDestructive && !output.interactive ? undefined : await serverOfFolder(context)
  if (implied) {
    output.note(`Using ${implied}, the project in this folder.`)
    return implied
  }
  const api = await context.api()
  const choices = await serverChoices(api)
  const [only] = choices
  if (!only) throw api.isContractOnly ? cannotListServers(argument) : noServersYet(argument)
  if (choices.length === 1 && !isDestructive) {
    output.note(`Using ${only.value}, the only server.`)
    return only.value
  }
  if (!output.interactive) throw missingServer(argument, choices)
  return pick('Server', choices)
}

/** Name of the server that `mcp dev` serves from here, of the project in this folder, or of the linked project. */
async function serverOfFolder(context: CommandContext): Promise<string | undefined> {
  const dev = findDev(context)
  if (dev) return dev.name
  const { nameOfProject } = await import('../project/project.ts')
  return (await nameOfProject(context.cwd)) ?? (await serverOfLink(context))
}

/** A project is linked by its id. Its builds name the server. */
async function serverOfLink({ api, cwd }: CommandContext): Promise<string | undefined> {
  const { findLink } = await import('../project/project-link.ts')
  const link = findLink(cwd)
  if (!link) return undefined
  const builds = (await listBuilds(await api(), {})) ?? []
  const names = new Set(builds.filter(one => one.project_id === link.projectId).map(({ name }) => name))
  return names.size === 1 ? [...names][0] : undefined
}

function missingServer(argument: string, choices: readonly Choice[]): HostingError {
  return missingValue(argument, 'Servers', choices, { description: 'List servers', command: 'mcp list' })
}

function cannotListServers(argument: string): HostingError {
  return new HostingError('INVALID_REQUEST', `Missing ${argument}, and this API does not list servers.`)
}

function noServersYet(argument: string): HostingError {
  return new HostingError('INVALID_REQUEST', `Missing ${argument}, and there are no servers yet.`, {
    next: [
      { description: 'Create a project', command: 'mcp init' },
      { description: 'Build and deploy it', command: 'mcp up' },
    ],
  })
}
