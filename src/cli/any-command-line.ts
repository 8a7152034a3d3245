import { CommanderError, Option, Command as Parser } from 'commander'
import { HostingError } from '../shared/errors.ts'
import {
  type ArgumentDeclaration,
  type Command,
  flagOf,
  type OptionDeclaration,
  toKebabCase,
} from './command.ts'
import { GLOBAL_OPTIONS, type GlobalInput } from './global-options.ts'
import { absentValue, parseOptionValue } from './option-value.ts'
import { onPipeError } from './output.ts'
import type { ParsedCommandLine } from './usual-command-line.ts'

/** What commander makes of a line, whatever it is: see `parseCommandLine`. */
export function readAnyLine(command: Command, argv: readonly string[]): ParsedCommandLine | 'help' {
  const parser = createParser(command)
  try {
    parser.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 'help'
    throw usageError(command, error)
  }
  const options = parser.opts()
  const input: Record<string, unknown> = {}
  for (const [key, option] of Object.entries(command.options ?? {}))
    input[key] = options[key] ?? absentValue(option)
  Object.entries(command.arguments ?? {}).forEach(([key, declaration], index) => {
    input[key] = parser.processedArgs[index] ?? declaration.default
  })
  const globals = Object.fromEntries(
    Object.entries(GLOBAL_OPTIONS).map(([key, option]) => [key, options[key] ?? absentValue(option)]),
  )
  return { input, globals: globals as GlobalInput }
}

const EVERY_COMMAND = 'Options of every command:'

function createParser(command: Command): Parser {
  const parser = new Parser(`mcp ${command.name}`)
    .description(capitalize(command.description ?? command.summary))
    .exitOverride()
    .configureOutput({ writeOut, writeErr: () => {}, getOutHelpWidth })
    .configureHelp({ showGlobalOptions: false })
    .addHelpOption(new Option('-h, --help', 'show this page').helpGroup(EVERY_COMMAND))
  for (const [name, declaration] of Object.entries(command.arguments ?? {}))
    parser.argument(usageOf(name, declaration), declaration.doc, declaration.default)
  parser.optionsGroup('Options:')
  for (const [key, option] of Object.entries(command.options ?? {})) parser.addOption(toOption(key, option))
  for (const [key, option] of Object.entries(GLOBAL_OPTIONS))
    parser.addOption(toOption(key, option).helpGroup(EVERY_COMMAND))
  if (command.passThrough) parser.passThroughOptions().allowUnknownOption()
  if (command.examples?.length) parser.addHelpText('after', formatExamples(command))
  return parser
}

function writeOut(text: string): void {
  process.stdout.on('error', onPipeError).write(text)
}

function getOutHelpWidth(): number {
  return Math.min(process.stdout.columns || 100, 100)
}

function usageOf(name: string, { required, variadic }: ArgumentDeclaration): string {
  const word = `${toKebabCase(name)}${variadic ? '...' : ''}`
  return required ? `<${word}>` : `[${word}]`
}

function toOption(key: string, declaration: OptionDeclaration): Option {
  const flag = flagOf(key, declaration)
  const name = declaration.value ?? declaration.type
  const value =
    declaration.type === 'boolean' ? '' : declaration.isValueOptional ? ` [${name}]` : ` <${name}>`
  const option = new Option(
    `${declaration.short ? `-${declaration.short}, ` : ''}${flag}${value}`,
    declaration.doc,
  )
  if (!['boolean', 'string'].includes(declaration.type))
    option.argParser((text, before: unknown) => parseOptionValue(declaration, flag, text, before))
  if (declaration.isValueOptional) option.preset('')
  if (declaration.choices) option.choices(declaration.choices)
  if (declaration.default !== undefined && declaration.type !== 'boolean')
    option.default(declaration.default, describeDefault(declaration))
  if (declaration.hidden) option.hideHelp()
  return option
}

function describeDefault({ type, default: value }: OptionDeclaration): string | undefined {
  return type === 'duration' ? `${Number(value) / 1000}s` : undefined
}

/** commander's `error: unknown option '--foo'` as a sentence, with the page that tells what there is. */
function usageError(command: Command, error: CommanderError): HostingError {
  const [first = '', ...hints] = error.message.replace(/^error: /, '').split('\n')
  const hint = hints.join(' ').replace(/^\(|\)$/g, '')
  const sentence = capitalize(first.replaceAll("'", '"').replace(/\.$/, ''))
  return new HostingError('INVALID_REQUEST', `${sentence}.${hint ? ` ${hint}` : ''}`, {
    next: [{ description: 'See how it is used', command: `mcp ${command.name} --help` }],
  })
}

function formatExamples({ examples = [] }: Command): string {
  const width = Math.max(...examples.map(({ command }) => command.length))
  const lines = examples.map(({ command, does }) => `  ${command.padEnd(width)}  ${does}`)
  return `\nExamples:\n${lines.join('\n')}`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
