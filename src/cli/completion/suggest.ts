import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import { type ApiClient, createApiClient } from '../api/client.ts'
import { readCredentials } from '../api/credentials.ts'
import type { Command } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { COMMANDS, groupOf } from '../command-line/command-list.ts'
import { loadCommand } from '../command-line/commands.ts'
import { flagOf, type OptionDeclaration } from '../command-line/declaration.ts'
import { GLOBAL_OPTIONS } from '../command-line/global-options.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'
import { listProjects } from '../project/projects.ts'
import { listBuilds, listDeployments } from '../targets/resolve-id.ts'

export interface Suggestion {
  value: string
  doc?: string
}

/** The shell waits for the suggestions, so slower ones are dropped. */
const TIMEOUT_MS = 1500

/** Completions of the last word of a command line. Never starts a daemon and never fails. */
export async function suggest(context: CommandContext, words: readonly string[]): Promise<Suggestion[]> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const all = await candidates(context, before, current)
  return all.filter(({ value }) => value.startsWith(current))
}

async function candidates(context: CommandContext, before: readonly string[], current: string) {
  const found = await findCommand(before)
  if (!found) return commandWords(before)
  const { command, rest } = found
  const option = optionBefore(command, rest.at(-1))
  if (option) return optionValues(option)
  if (current.startsWith('-')) return optionFlags(command)
  return argumentValues(context, command, rest)
}

async function findCommand(
  words: readonly string[],
): Promise<{ command: Command; rest: string[] } | undefined> {
  const plain = words.filter(word => !word.startsWith('-'))
  const entry = COMMANDS.find(
    ({ name, aliases }) =>
      name === plain[0] || name === plain.slice(0, 2).join(' ') || aliases?.includes(plain[0] ?? ''),
  )
  if (!entry) return undefined
  const count = entry.name.split(' ').length
  const at = words.indexOf(plain[count - 1] ?? '')
  return { command: await loadCommand(entry.name), rest: words.slice(at + 1) }
}

/** First words of commands, or second words of a group. */
function commandWords(before: readonly string[]): Suggestion[] {
  const [group] = before.filter(word => !word.startsWith('-'))
  const shown = COMMANDS.filter(({ hidden }) => !hidden)
  if (group)
    return shown
      .filter(entry => groupOf(entry) === group)
      .map(({ name, summary }) => ({ value: name.slice(group.length + 1), doc: summary }))
  const words = new Map(shown.map(entry => [groupOf(entry) ?? entry.name, entry]))
  return [...words].map(([value, entry]) => ({ value, doc: groupOf(entry) ? undefined : entry.summary }))
}

function allOptions(command: Command): [string, OptionDeclaration][] {
  return Object.entries({ ...command.options, ...GLOBAL_OPTIONS })
}

/** The option whose value comes next. Undefined for switches and for `--name=value`. */
function optionBefore(command: Command, word: string | undefined): OptionDeclaration | undefined {
  if (!word?.startsWith('-')) return undefined
  const found = allOptions(command).find(
    ([key, option]) => word === flagOf(key, option) || (option.short && word === `-${option.short}`),
  )?.[1]
  return found?.type === 'boolean' ? undefined : found
}

function optionValues(option: OptionDeclaration): Suggestion[] {
  const choices = option.choices ?? (option.value === 'environment' ? ENVIRONMENTS : [])
  return choices.map(value => ({ value }))
}

function optionFlags(command: Command): Suggestion[] {
  return allOptions(command)
    .filter(([, option]) => !option.hidden)
    .map(([key, option]) => ({ value: flagOf(key, option), doc: option.doc }))
}

async function argumentValues(
  context: CommandContext,
  command: Command,
  rest: readonly string[],
): Promise<Suggestion[]> {
  const names = Object.keys(command.arguments ?? {})
  const position = positionals(command, rest).length
  const name = names[Math.min(position, names.length - 1)]
  if (name === 'shell') return ['bash', 'zsh', 'fish'].map(value => ({ value }))
  if (name === 'project') return askApi(context, projects)
  return name === 'server' || name === 'id' || name === 'deployment' || name === 'mcpId'
    ? askApi(context, serversAndIds)
    : []
}

function positionals(command: Command, rest: readonly string[]): string[] {
  return rest.filter((word, index) => !word.startsWith('-') && !optionBefore(command, rest[index - 1]))
}

/** Returns nothing when the API is unreachable or refuses. */
async function askApi(
  context: CommandContext,
  list: (api: ApiClient) => Promise<Suggestion[]>,
): Promise<Suggestion[]> {
  const api = await openApi(context)
  if (!api) return []
  try {
    return await list(api)
  } catch (error) {
    if (error instanceof HostingError) return []
    throw error
  } finally {
    api.close()
  }
}

async function serversAndIds(api: ApiClient): Promise<Suggestion[]> {
  const [deployments = [], builds = []] = await Promise.all([listDeployments(api, {}), listBuilds(api, {})])
  const names = [...new Set(builds.map(({ name }) => name))].map(value => ({ value, doc: 'server' }))
  return [
    ...names,
    ...deployments.map(({ deployment_id, name, environment, status }) => ({
      value: deployment_id,
      doc: [name, environment, status].filter(Boolean).join(' '),
    })),
    ...builds.map(({ mcp_id, name, status }) => ({ value: mcp_id, doc: `${name} ${status}` })),
  ]
}

async function projects(api: ApiClient): Promise<Suggestion[]> {
  const all = await listProjects(api)
  return all.flatMap(({ id, name, status }) => [
    { value: name, doc: status },
    { value: id, doc: `${name} ${status}` },
  ])
}

/** Client of the API in use. Undefined when the local daemon is not running. */
async function openApi({ settings, paths }: CommandContext) {
  const { apiUrl, apiKey, context: name } = settings()
  const url = apiUrl?.value ?? (await findDaemon(paths).catch(() => undefined))?.url
  if (!url) return undefined
  const key = apiKey?.value ?? readCredentials(paths.credentials).contexts[name.value]?.apiKey
  return createApiClient({ url, apiKey: key, timeoutMs: TIMEOUT_MS })
}
