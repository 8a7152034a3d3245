import type { CommanderError } from 'commander'
import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import type { Command } from './command.ts'
import { flagOf, type OptionDeclaration } from './declaration.ts'
import { familiarOptions } from './familiar-options.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'

/** Turns commander's error, such as `error: unknown option '--foo'`, into sentences and refers to the help page. */
export function usageError(command: Command, error: CommanderError): HostingError {
  return new HostingError('INVALID_REQUEST', describe(command, error), {
    next: [{ description: 'Show the usage of the command', command: `mcp ${command.name} --help` }],
  })
}

function describe(command: Command, { code, message }: CommanderError): string {
  const text = message.replace(/^error: /, '').split('\n')[0]!
  const [, quoted = ''] = /'(.*)'/s.exec(message) ?? []
  if (code === 'commander.unknownOption') return unknownOption(command, quoted)
  if (code === 'commander.optionMissingArgument') return missingValue(command, quoted)
  return `${capitalize(text.replaceAll("'", '"').replace(/\.$/, ''))}.`
}

/** `word`: `--foo` or `--foo=value`. The value may be secret. */
function unknownOption(command: Command, word: string): string {
  const [flag = ''] = word.split('=')
  const near = flag.startsWith('--') ? nearestOption(command, flag) : undefined
  return `Unknown option "${flag}".${near ? ` Did you mean ${near}?` : ''}`
}

function nearestOption(command: Command, flag: string): string | undefined {
  const flags = declaredOptions(command).flatMap(({ flag, hidden }) => (hidden ? [] : [flag]))
  const familiar = familiarOptions(flags)
  // Compares names without the dashes, because the shared dashes would make different short names look alike.
  const names = [...flags, ...familiar.keys()].map(name => name.slice(2))
  const near = nearestName(flag.slice(2), names)
  return near === undefined ? undefined : (familiar.get(`--${near}`) ?? `--${near}`)
}

/** `usage`: commander's `-m, --message <text>`. */
function missingValue(command: Command, usage: string): string {
  const [, flag = usage, value = ''] = /(--[\w-]+) <(.*)>$/s.exec(usage) ?? []
  const { choices = [] } = declaredOptions(command).find(option => option.flag === flag) ?? {}
  const known = choices.length > 0 ? ` (${choices.join(', ')})` : ''
  return `${flag} needs a value: ${flag} ${value.toUpperCase()}${known}.`
}

function declaredOptions(command: Command): (OptionDeclaration & { flag: string })[] {
  const all: Record<string, OptionDeclaration> = { ...command.options, ...GLOBAL_OPTIONS }
  return Object.entries(all).map(([key, option]) => ({ ...option, flag: flagOf(key, option) }))
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
