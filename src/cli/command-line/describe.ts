import { VERSION } from '../../shared/version.ts'
import type { Command } from './command.ts'
import { type CommandEntry, explain } from './command-list.ts'
import { type ArgumentDeclaration, flagOf, type OptionDeclaration, toKebabCase } from './declaration.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'

/** `mcp --help --json` */
export function describeCommands(commands: readonly CommandEntry[]): object {
  const shown = commands.filter(({ hidden }) => !hidden)
  return {
    version: VERSION,
    commands: shown.map(({ name, summary, section, aliases }) => ({
      name,
      summary,
      section,
      ...(aliases && { aliases }),
    })),
    options: describeOptions(GLOBAL_OPTIONS),
  }
}

/** `mcp <command> --help --json` */
export function describeCommand(command: Command): object {
  const { name, arguments: args = {}, options = {}, examples = {} } = command
  return {
    name,
    description: explain(command),
    arguments: Object.entries(args).map(([key, argument]) => describeArgument(key, argument)),
    options: describeOptions(options),
    examples: Object.entries(examples).map(([line, description]) => ({ command: line, description })),
  }
}

function describeArgument(key: string, declaration: ArgumentDeclaration): object {
  const { doc, required = false, variadic = false, default: value } = declaration
  return { name: toKebabCase(key), description: doc, required, variadic, default: value }
}

function describeOptions(options: Readonly<Record<string, OptionDeclaration>>): object[] {
  return Object.entries(options)
    .filter(([, { hidden }]) => !hidden)
    .map(([key, option]) => {
      const { doc, type, short, choices, default: value } = option
      return { flag: flagOf(key, option), short, type, description: doc, choices, default: value }
    })
}
