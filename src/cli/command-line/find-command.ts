import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import { type CommandEntry, groupOf } from './command-list.ts'
import { flagOf, toKebabCase } from './declaration.ts'
import { familiarCommands } from './familiar-commands.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'

export type FoundCommand =
  | { kind: 'command'; entry: CommandEntry; rest: string[] }
  /** `group`: only this group, or `all` for the page of all commands. */
  | { kind: 'help'; group?: string }
  | { kind: 'usage'; error: HostingError }

/** Global flags whose value must not be mistaken for the command's name. */
const VALUE_FLAGS = Object.entries(GLOBAL_OPTIONS)
  .filter(([, option]) => option.type !== 'boolean')
  .map(([key]) => `--${toKebabCase(key)}`)

const GLOBAL_FLAGS = new Set(
  Object.entries(GLOBAL_OPTIONS).flatMap(([key, option]) => [
    flagOf(key, option),
    ...('short' in option ? [`-${option.short}`] : []),
  ]),
)

/**
 * Finds the command without loading it. Global options may precede its name. `mcp help keys create` is the same as
 * `mcp keys create --help`.
 */
export function findCommand(argv: readonly string[], commands: readonly CommandEntry[]): FoundCommand {
  const at = nextWord(argv, 0)
  if (at < 0) return { kind: 'help' }
  const word = argv[at]!
  if (word === 'help') return findHelp(argv, at, commands)
  const alone = commands.find(({ name, aliases }) => name === word || aliases?.includes(word))
  // A command may also be a group: `sessions` and `sessions end`.
  const next = nextWord(argv, at + 1)
  const isInGroup =
    next > 0 && !mayBeValue(argv, next) && commands.some(({ name }) => name === `${word} ${argv[next]}`)
  if (alone && !isInGroup) return { kind: 'command', entry: alone, rest: withoutWord(argv, at) }
  if (commands.some(entry => groupOf(entry) === word)) return findInGroup(argv, at, commands)
  return { kind: 'usage', error: unknownCommand(word, commands) }
}

function findHelp(argv: readonly string[], at: number, commands: readonly CommandEntry[]): FoundCommand {
  const rest = withoutWord(argv, at)
  const next = nextWord(rest, 0)
  if (next < 0) return { kind: 'help' }
  if (rest[next] === 'all') return { kind: 'help', group: 'all' }
  const group = rest[next]!
  const isGroup = commands.some(entry => groupOf(entry) === group)
  if (isGroup && !commands.some(({ name }) => name === group) && nextWord(rest, next + 1) < 0)
    return { kind: 'help', group }
  const found = findCommand(rest, commands)
  return found.kind === 'command'
    ? { ...found, rest: ['--help', ...(rest.includes('--json') ? ['--json'] : [])] }
    : found
}

function findInGroup(argv: readonly string[], at: number, commands: readonly CommandEntry[]): FoundCommand {
  const group = argv[at]!
  const next = nextWord(argv, at + 1)
  if (next < 0) {
    if (argv.some(word => word === '--help' || word === '-h')) return { kind: 'help', group }
    return { kind: 'usage', error: missingSubcommand(group, commands) }
  }
  const entry = commands.find(({ name }) => name === `${group} ${argv[next]}`)
  if (entry) return { kind: 'command', entry, rest: withoutWord(withoutWord(argv, next), at) }
  return { kind: 'usage', error: unknownSubcommand(group, argv[next]!, commands) }
}

/** Index of the next word that is neither an option nor the value of a global option. -1 if there is none. */
function nextWord(argv: readonly string[], from: number): number {
  for (let index = from; index < argv.length; index++) {
    const word = argv[index]!
    if (word === '--') return -1
    if (VALUE_FLAGS.includes(word)) index++
    else if (!word.startsWith('-')) return index
  }
  return -1
}

/**
 * True after an option of a command, because the word may be its value: `requests --tool export`. The option's type is unknown
 * until the command is loaded.
 */
function mayBeValue(argv: readonly string[], index: number): boolean {
  const before = argv[index - 1]!
  return before.startsWith('-') && !before.includes('=') && !GLOBAL_FLAGS.has(before)
}

function withoutWord(argv: readonly string[], index: number): string[] {
  return argv.toSpliced(index, 1)
}

function unknownCommand(word: string, commands: readonly CommandEntry[]): HostingError {
  const familiar = familiarCommands(word)
  if (familiar.length > 0)
    return new HostingError('INVALID_REQUEST', `Unknown command "${word}".`, {
      next: familiar.map(command => ({ description: 'Try', command })),
    })
  const names = commands
    .filter(({ hidden }) => !hidden)
    .flatMap(entry => [groupOf(entry) ?? entry.name, ...(entry.aliases ?? [])])
  const near = nearestName(word, [...new Set(names), 'help'])
  return new HostingError(
    'INVALID_REQUEST',
    `Unknown command "${word}".${near ? ` Did you mean "${near}"?` : ''}`,
    {
      next: [
        near
          ? { description: 'Try', command: `mcp ${near}` }
          : { description: 'List all commands', command: 'mcp help all' },
      ],
    },
  )
}

function unknownSubcommand(group: string, word: string, commands: readonly CommandEntry[]): HostingError {
  const names = subcommandsOf(group, commands)
  const near = nearestName(word, names)
  return new HostingError(
    'INVALID_REQUEST',
    near
      ? `Unknown command "${group} ${word}". Did you mean "${group} ${near}"?`
      : `Unknown command "${group} ${word}". Known: ${names.join(', ')}.`,
    { next: [{ description: 'List all commands of the group', command: `mcp ${group} --help` }] },
  )
}

function missingSubcommand(group: string, commands: readonly CommandEntry[]): HostingError {
  const names = subcommandsOf(group, commands)
  return new HostingError('INVALID_REQUEST', `"mcp ${group}" needs a subcommand: ${names.join(', ')}.`, {
    next: [{ description: 'Show what each subcommand does', command: `mcp ${group} --help` }],
  })
}

function subcommandsOf(group: string, commands: readonly CommandEntry[]): string[] {
  return commands.filter(entry => groupOf(entry) === group).map(({ name }) => name.slice(group.length + 1))
}
