import { CommanderError, Option, Command as Parser } from 'commander'
import { parseDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import { withPipeError } from '../output/pipe-error.ts'
import { wrapText } from '../output/wrap.ts'
import type { Command } from './command.ts'
import { explain } from './command-list.ts'
import { type ArgumentDeclaration, flagOf, type OptionDeclaration, toKebabCase } from './declaration.ts'
import { describeCommand } from './describe.ts'
import { GLOBAL_OPTIONS, type GlobalInput } from './global-options.ts'
import { capitalize, usageError } from './usage-error.ts'

export interface ParsedCommandLine {
  globals: GlobalInput
  input: Record<string, unknown>
}

/** Prints the help page and returns `help` for `--help`. Throws INVALID_REQUEST for an invalid command line. */
export function parseCommandLine(command: Command, argv: readonly string[]): ParsedCommandLine | 'help' {
  if (!command.passThrough && wantsJsonHelp(argv)) {
    writeOut(`${JSON.stringify(describeCommand(command))}\n`)
    return 'help'
  }
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

/** commander would print the page before it sees `--json`. */
function wantsJsonHelp(argv: readonly string[]): boolean {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  return words.includes('--json') && words.some(word => word === '--help' || word === '-h')
}

function createParser(command: Command): Parser {
  const parser = new Parser(`mcp ${command.name}`)
    .description(capitalize(explain(command)))
    .exitOverride()
    .configureOutput({ writeOut, writeErr: () => {}, getOutHelpWidth })
    .configureHelp({ showGlobalOptions: false })
    .usage(['[options]', ...wordsOf(command)].join(' '))
    .addHelpOption(new Option('-h, --help').hideHelp())
  // `complete-input.ts` handles missing arguments.
  for (const [name, { variadic, doc, default: value }] of Object.entries(command.arguments ?? {}))
    parser.argument(usageOf(name, { doc, variadic }), doc, value)
  parser.optionsGroup('Options:')
  for (const [key, option] of Object.entries(command.options ?? {})) parser.addOption(toOption(key, option))
  for (const [key, option] of Object.entries(GLOBAL_OPTIONS))
    parser.addOption(toOption(key, option).hideHelp())
  if (command.passThrough) parser.passThroughOptions().allowUnknownOption()
  parser.addHelpText('after', `\n${formatGlobalOptions()}`)
  if (command.examples) parser.addHelpText('after', formatExamples(command.examples))
  return parser
}

function writeOut(text: string): void {
  withPipeError(process.stdout).write(text)
}

/** At most 100 columns, and 80 in a pipe. */
function getOutHelpWidth(): number {
  return Math.min(process.stdout.columns || 80, 100)
}

function wordsOf(command: Command): string[] {
  return Object.entries(command.arguments ?? {}).map(([name, declaration]) => usageOf(name, declaration))
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
  const { choices } = declaration
  if (choices) {
    option.choices(choices)
    option.argParser((text: string) => parseChoice(flag, text, choices))
  }
  if (declaration.default !== undefined && declaration.type !== 'boolean')
    option.default(declaration.default, describeDefault(declaration))
  if (declaration.hidden) option.hideHelp()
  return option
}

function describeDefault({ type, default: value }: OptionDeclaration): string | undefined {
  return type === 'duration' ? `${Number(value) / 1000}s` : undefined
}

/** Lists only the names of the global options. Otherwise, every page would repeat their explanations. */
function formatGlobalOptions(): string {
  const flags = Object.entries(GLOBAL_OPTIONS).map(([key, option]) =>
    'short' in option ? `-${option.short}` : flagOf(key, option),
  )
  return wrapText(`Also: ${flags.join(', ')}, -h (explained in mcp help all)`, getOutHelpWidth(), {
    indent: 'Also: '.length,
  }).join('\n')
}

/** Puts the explanations next to the commands, or below them if a line does not fit. */
function formatExamples(examples: NonNullable<Command['examples']>): string {
  const entries = Object.entries(examples)
  const width = Math.max(...entries.map(([line]) => line.length))
  const longest = Math.max(...entries.map(([, does]) => width + does.length + 4))
  const fits = longest <= getOutHelpWidth()
  const lines = entries.map(([line, does]) =>
    fits ? `  ${line.padEnd(width)}  ${does}` : `  ${line}\n      ${does}`,
  )
  return `\nExamples:\n${lines.join('\n')}`
}

/** Value for `input`. `before` is the value of an earlier occurrence of the option. Throws INVALID_REQUEST. */
function parseOptionValue({ type }: OptionDeclaration, flag: string, text: string, before: unknown): unknown {
  if (type === 'duration') return parseDuration(flag, text)
  if (type === 'integer') return parseInteger(flag, text)
  if (type === 'number') return parseNumber(flag, text)
  if (type === 'list') return [...((before as string[] | undefined) ?? []), text]
  return text
}

/** Value for `input` when the option is omitted. */
function absentValue({ type, default: value }: OptionDeclaration): unknown {
  if (type === 'list') return []
  return value ?? (type === 'boolean' ? false : undefined)
}

function parseChoice(flag: string, text: string, choices: readonly string[]): string {
  if (choices.includes(text)) return text
  const near = nearestName(text, choices)
  throw new HostingError(
    'INVALID_REQUEST',
    `${flag} is "${text}", expected one of ${choices.join(', ')}.${near ? ` Did you mean ${near}?` : ''}`,
  )
}

function parseDuration(flag: string, text: string): number {
  try {
    return parseDurationMs(text)
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', `${flag}: ${(error as Error).message}`)
  }
}

function parseInteger(flag: string, text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new HostingError('INVALID_REQUEST', `${flag} is "${text}", expected a whole number.`)
}

function parseNumber(flag: string, text: string): number {
  if (/^\d{1,15}(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new HostingError('INVALID_REQUEST', `${flag} is "${text}", expected a number.`)
}
