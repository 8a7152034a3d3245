import { HostingError } from '../../shared/errors.ts'
import type { ArgumentSchema } from '../choices/argument-choices.ts'
import type { Choice, ChoiceSource, TypedInput } from '../choices/choice.ts'
import { listChoices } from '../choices/list-choices.ts'
import type { Command } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { type ArgumentDeclaration, toKebabCase, type ValueKind } from '../command-line/declaration.ts'
import { impliedEnvironment } from '../dev/dev-mark.ts'
import { askName, askText } from '../output/prompt.ts'
import { repeatedCommand } from '../output/repeated-command.ts'
import { askValues } from './ask-values.ts'
import { askingSource } from './asking-source.ts'
import { chooseServer } from './choose-server.ts'
import { expandUri, variablesOf } from './expand-uri.ts'
import { missingValue } from './missing-value.ts'
import { pick } from './pick.ts'

type Input = Record<string, unknown>

/** Completes missing required arguments: chooses an implied value or asks at a terminal. Throws INVALID_REQUEST elsewhere. */
export async function completeInput(context: CommandContext, command: Command, input: Input): Promise<void> {
  const given = { ...input }
  let isChosen = false
  for (const [key, declaration] of Object.entries(command.arguments ?? {})) {
    if (!declaration.required || input[key] !== undefined) continue
    input[key] = await completeOne({ context, command, input, key, declaration })
    if (declaration.kind && declaration.kind !== 'server') isChosen = true
  }
  if (isChosen) context.output.command(commandLine(context, command, { given, input }))
}

/** The command line with the chosen values, which asks no question. */
function commandLine(
  context: CommandContext,
  command: Command,
  { given, input }: { given: Input; input: Input },
): string {
  // Arguments are given in order, so the chosen ones follow them.
  const chosen = Object.keys(command.arguments ?? {})
    .filter(key => input[key] !== given[key])
    .flatMap(key => input[key] as string | string[])
  const isServed = command.options?.env?.choices?.includes('preview') && input.server !== undefined
  const env =
    isServed && input.env === undefined ? impliedEnvironment(context, String(input.server)) : undefined
  return repeatedCommand({ words: [...context.words, ...chosen] }, ...(env ? ['--env', env] : []))
}

interface MissingArgument {
  context: CommandContext
  command: Command
  input: Input
  key: string
  declaration: ArgumentDeclaration
}

async function completeOne(missing: MissingArgument): Promise<unknown> {
  const { context, command, input, declaration } = missing
  if (declaration.kind === 'server')
    return chooseServer(context, { isDestructive: declaration.isNeverImplied })
  if (declaration.choices)
    return choose(
      missing,
      declaration.choices.map(value => ({ value })),
    )
  if (declaration.kind === undefined || declaration.mayBeNew) return askWord(missing)
  const source = askingSource(context, input)
  const given = givenIn(command, input)
  const choices = await listChoices(declaration.kind, source, given)
  const value = await choose(missing, choices, given.words.server?.[0])
  const rest = restOf(command, declaration.kind)
  if (rest === undefined) return declaration.kind === 'resource' ? expand(context, value) : value
  if ((input[rest.key] as string[]).length === 0)
    input[rest.key] = await askRest({ source, given, kind: declaration.kind, value })
  return value
}

async function choose(
  { context, command, key, declaration }: MissingArgument,
  choices: readonly Choice[],
  server?: string,
): Promise<string> {
  const kind = declaration.kind ?? key
  if (choices.length === 0)
    throw new HostingError('NOT_FOUND', server ? `${server} has no ${kind}s.` : `There are no ${kind}s.`)
  if (context.output.interactive) return pick(capitalize(kind), choices)
  const title = `${capitalize(kind)}s${server ? ` of ${server}` : ''}`
  throw missingValue(`<${toKebabCase(key)}>`, title, choices, usageOf(command))
}

/** Asks for a word that cannot be picked from a list, such as a new name. */
async function askWord({ context, command, input, key, declaration }: MissingArgument): Promise<string> {
  const word = toKebabCase(key)
  if (!context.output.interactive)
    throw new HostingError('INVALID_REQUEST', `Missing ${missingIn(command, input)}.`, {
      next: [usageOf(command)],
    })
  return askName(`${capitalize(word.replaceAll('-', ' '))} (${declaration.doc})`)
}

/** `<key> and <value>` */
function missingIn({ arguments: declared = {} }: Command, input: Input): string {
  const missing = Object.entries(declared).filter(([key, one]) => one.required && input[key] === undefined)
  const words = missing.map(([key]) => `<${toKebabCase(key)}>`)
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ')
}

/** The variadic argument for the values of a tool or prompt. */
function restOf(command: Command, kind: ValueKind): { key: string } | undefined {
  const wanted = `${kind} arguments`
  const found = Object.entries(command.arguments ?? {}).find(([, one]) => one.kind === wanted)
  return found && { key: found[0] }
}

interface ChosenValue {
  source: ChoiceSource
  given: TypedInput
  kind: ValueKind
  value: string
}

async function askRest({ source, given, kind, value }: ChosenValue): Promise<string[]> {
  if (kind === 'tool') {
    const tool = (await source.tools(given)).find(({ name }) => name === value)
    return askValues((tool?.inputSchema ?? {}) as ArgumentSchema)
  }
  const { promptSchema } = await import('../testing/tool-arguments.ts')
  const prompt = (await source.prompts(given)).find(({ name }) => name === value)
  return askValues(prompt ? promptSchema(prompt) : {})
}

/** Asks for the variables of a URI template. */
async function expand({ output }: CommandContext, uri: string): Promise<string> {
  if (!output.interactive || !uri.includes('{')) return uri
  const values: Record<string, string> = {}
  for (const name of variablesOf(uri)) {
    const text = await askText(name)
    if (text !== '') values[name] = text
  }
  return expandUri(uri, values)
}

function givenIn({ arguments: declared = {} }: Command, input: Input): TypedInput {
  const words: Partial<Record<ValueKind, string[]>> = {}
  for (const [key, { kind }] of Object.entries(declared))
    if (kind && input[key] !== undefined) words[kind] = [input[key]].flat() as string[]
  return { typed: '', words, env: input.env as string | undefined }
}

function usageOf({ name }: Command): { description: string; command: string } {
  return { description: 'Show the usage of the command', command: `mcp ${name} --help` }
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
