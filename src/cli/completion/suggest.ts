import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import { type ApiClient, createApiClient } from '../api/client.ts'
import { readCredentials } from '../api/credentials.ts'
import type { Choice, TypedInput } from '../choices/choice.ts'
import { listChoices } from '../choices/list-choices.ts'
import type { Command } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { COMMANDS, groupOf } from '../command-line/command-list.ts'
import { loadCommand } from '../command-line/commands.ts'
import { flagOf, type OptionDeclaration, type ValueKind } from '../command-line/declaration.ts'
import { GLOBAL_OPTIONS } from '../command-line/global-options.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'
import { quickSource } from './quick-source.ts'

/** The shell waits for the suggestions, so slower ones are dropped. */
const TIMEOUT_MS = 1500

/** Completions of the last word of a command line. */
export interface Suggestions {
  choices: Choice[]
  /** True when the word may also be a file name. */
  files: boolean
}

const NO_SUGGESTIONS: Suggestions = { choices: [], files: false }

/** Never starts a daemon, never fails, and returns nothing when the API is too slow. */
export async function suggest(
  context: CommandContext,
  words: readonly string[],
  timeoutMs = TIMEOUT_MS,
): Promise<Suggestions> {
  const current = words.at(-1) ?? ''
  const timer = Promise.withResolvers<Suggestions>()
  const timeout = setTimeout(() => timer.resolve(NO_SUGGESTIONS), timeoutMs)
  try {
    const found = await Promise.race([suggestWord(context, words.slice(0, -1), current), timer.promise])
    const choices = found.choices.filter(({ value }) => value.startsWith(current) && value !== '')
    return { ...found, choices }
  } catch {
    return NO_SUGGESTIONS
  } finally {
    clearTimeout(timeout)
  }
}

async function suggestWord(
  context: CommandContext,
  before: readonly string[],
  current: string,
): Promise<Suggestions> {
  const found = await findCommand(before)
  if (!found) return withoutFiles(commandWords(before))
  const { command, rest } = found
  const assigned = /^(--[\w-]+)=/.exec(current)
  const option = optionBefore(command, assigned?.[1] ?? rest.at(-1))
  if (option) return optionValues(context, command, { option, rest, current, prefix: assigned?.[0] ?? '' })
  if (current.startsWith('-')) return withoutFiles(optionFlags(command, rest))
  const values = await argumentValues(context, command, rest, current)
  // A command may also be a group: `sessions` and `sessions end`.
  const ofGroup = before.length === 1 && before[0] === command.name ? commandWords(before) : []
  return { ...values, choices: [...ofGroup, ...values.choices] }
}

async function findCommand(
  words: readonly string[],
): Promise<{ command: Command; rest: string[] } | undefined> {
  const plain = words.filter(word => !word.startsWith('-'))
  const [first = ''] = plain
  const entry =
    COMMANDS.find(({ name }) => plain.length > 1 && name === plain.slice(0, 2).join(' ')) ??
    COMMANDS.find(({ name, aliases }) => name === first || aliases?.includes(first))
  if (!entry) return undefined
  const count = entry.name.split(' ').length
  const at = words.indexOf(plain[count - 1] ?? '')
  return { command: await loadCommand(entry.name), rest: words.slice(at + 1) }
}

/** First words of commands, or second words of a group's commands. */
function commandWords(before: readonly string[]): Choice[] {
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

interface OptionValue {
  option: OptionDeclaration
  rest: readonly string[]
  current: string
  /** `--env=`, if the value is part of the same word. */
  prefix: string
}

async function optionValues(
  context: CommandContext,
  command: Command,
  { option, rest, current, prefix }: OptionValue,
): Promise<Suggestions> {
  const fixed = option.choices ?? (option.value === 'environment' ? ENVIRONMENTS : undefined)
  const given = givenBefore(command, rest, current.slice(prefix.length))
  const found = fixed
    ? withoutFiles(fixed.map(value => ({ value })))
    : await valuesOf(context, option.kind ?? KIND_OF_VALUE[option.value ?? ''], given)
  return { ...found, choices: found.choices.map(one => ({ ...one, value: `${prefix}${one.value}` })) }
}

/** Kind of an option's value, by the value's name in help. */
const KIND_OF_VALUE: Readonly<Record<string, ValueKind>> = {
  file: 'file',
  path: 'file',
  dir: 'file',
  model: 'model',
  server: 'server',
}

/** An option that cannot be repeated is suggested once. */
function optionFlags(command: Command, rest: readonly string[]): Choice[] {
  return allOptions(command)
    .map(([key, option]) => ({ option, value: flagOf(key, option), doc: option.doc }))
    .filter(({ option, value }) => !option.hidden && (option.type === 'list' || !rest.includes(value)))
    .map(({ value, doc }) => ({ value, doc }))
}

async function argumentValues(
  context: CommandContext,
  command: Command,
  rest: readonly string[],
  current: string,
): Promise<Suggestions> {
  const declared = Object.values(command.arguments ?? {})
  const position = positionals(command, rest).length
  const declaration = declared[position] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined)
  if (declaration?.choices) return withoutFiles(declaration.choices.map(value => ({ value })))
  const given = givenBefore(command, rest, current)
  // A word in place of an optional server belongs to the next argument: `mcp env unset [server] [variables...]`.
  const next = declaration?.kind === 'server' && !declaration.required ? declared[position + 1] : undefined
  const [found, more] = await Promise.all([
    valuesOf(context, declaration?.kind, given),
    valuesOf(context, next?.kind, given),
  ])
  // An argument that defaults to this folder also takes a path.
  const files = found.files || declaration?.default === '.'
  return { choices: [...found.choices, ...more.choices], files }
}

function positionals(command: Command, rest: readonly string[]): string[] {
  return rest.filter((word, index) => !word.startsWith('-') && !optionBefore(command, rest[index - 1]))
}

function givenBefore(command: Command, rest: readonly string[], typed: string): TypedInput {
  const words: Partial<Record<ValueKind, string[]>> = {}
  const declared = Object.values(command.arguments ?? {})
  for (const [index, word] of positionals(command, rest).entries()) {
    const { kind } = declared[index] ?? declared.at(-1) ?? {}
    if (kind) words[kind] = [...(words[kind] ?? []), word]
  }
  return { typed, words, env: environmentIn(rest) }
}

function environmentIn(words: readonly string[]): string | undefined {
  const at = words.indexOf('--env')
  return at >= 0 ? words[at + 1] : words.find(word => word.startsWith('--env='))?.slice('--env='.length)
}

async function valuesOf(
  context: CommandContext,
  kind: ValueKind | undefined,
  given: TypedInput,
): Promise<Suggestions> {
  if (kind === 'file') return { choices: [], files: true }
  if (kind === undefined) return NO_SUGGESTIONS
  let api: ApiClient | undefined
  const open = async () => (api ??= await openApi(context))
  try {
    return withoutFiles(await listChoices(kind, quickSource(context, open, TIMEOUT_MS), given))
  } finally {
    api?.close()
  }
}

/** Throws when no daemon is running, because completion must not start one. */
async function openApi({ settings, paths }: CommandContext): Promise<ApiClient> {
  const { apiUrl, apiKey, context: name } = settings()
  const url = apiUrl?.value ?? (await findDaemon(paths))?.url
  if (!url) throw new HostingError('UNAVAILABLE', 'The daemon is not running.')
  const key = apiKey?.value ?? readCredentials(paths.credentials).contexts[name.value]?.apiKey
  return createApiClient({ url, apiKey: key, timeoutMs: TIMEOUT_MS })
}

function withoutFiles(choices: Choice[]): Suggestions {
  return { choices, files: false }
}
