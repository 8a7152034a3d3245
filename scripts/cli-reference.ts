import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from '../src/cli/command-line/command.ts'
import { COMMANDS, explain } from '../src/cli/command-line/command-list.ts'
import { loadCommand } from '../src/cli/command-line/commands.ts'
import { type OptionDeclaration, toKebabCase } from '../src/cli/command-line/declaration.ts'
import { ERROR_EXPLANATIONS, EXIT_MEANINGS } from '../src/cli/command-line/error-explanations.ts'
import { EXIT_CODE_OF } from '../src/cli/command-line/exit-codes.ts'
import { GLOBAL_OPTIONS } from '../src/cli/command-line/global-options.ts'
import { QUIET_FIELDS } from '../src/cli/command-line/quiet-fields.ts'
import { ERROR_CODES } from '../src/shared/errors.ts'

export const CLI_REFERENCE = fileURLToPath(new URL('../docs/cli.md', import.meta.url))
const START = '<!-- commands: made by scripts/cli-reference.ts -->'

/** The page with its second half generated from the command declarations. The part before the mark is written by hand. */
export async function renderCliReference(page: string): Promise<string> {
  const made = new Map<string, Command>()
  for (const { name } of COMMANDS) made.set(name, await loadCommand(name))
  const head = page.slice(0, page.indexOf(START) + START.length)
  const shown = COMMANDS.filter(({ hidden }) => !hidden)
  const sections = [...new Set(shown.map(({ section }) => section))].map(title => {
    const commands = shown.filter(({ section }) => section === title)
    return `## ${title}\n\n${commands.map(({ name, aliases }) => describe(made.get(name)!, aliases)).join('\n')}`
  })
  return `${head}\n\n${sections.join('\n')}\n${quietTable()}\n## Global options\n\n${optionTable(GLOBAL_OPTIONS)}\n\n${codeTables()}`
}

function quietTable(): string {
  const rows = Object.entries(QUIET_FIELDS).map(([name, fields]) =>
    row([`mcp ${name}`, fields.map(field => `\`${field}\``).join(' and ')]),
  )
  return `## Values of --quiet

With \`-q\`, these commands print only the one value that a script wants, one per line if there are several. The table names its
field in the \`--json\` document. Other commands print their text without notes and suggestions.

| command | prints |
|---|---|
${rows.join('\n')}
`
}

function codeTables(): string {
  const exits = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => row([code, meaning]))
  const errors = ERROR_CODES.map(code =>
    row([`\`${code}\``, String(EXIT_CODE_OF[code]), ERROR_EXPLANATIONS[code].meaning]),
  )
  return `## Exit codes

| code | means |
|---|---|
${exits.join('\n')}

## Error codes

| code | exit code | means |
|---|---|---|
${errors.join('\n')}
`
}

function describe(command: Command, aliases: readonly string[] = []): string {
  const { name, options = {}, examples } = command
  const explanation = capitalize(explain(command))
  const parts = [
    `### mcp ${name}`,
    `\`${usage(command)}\`${aliases.length > 0 ? ` (also \`${aliases.join('`, `')}\`)` : ''}`,
    `${explanation}${explanation.endsWith('.') ? '' : '.'}`,
    argumentTable(command),
    optionTable(options),
    examples
      ? `\`\`\`sh\n${Object.entries(examples)
          .map(([line, does]) => `${line}  # ${does}`)
          .join('\n')}\n\`\`\``
      : '',
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function usage({ name, arguments: args = {} }: Command): string {
  const words = Object.entries(args).map(([key, { required, variadic }]) => {
    const word = `${toKebabCase(key)}${variadic ? '...' : ''}`
    return required ? `<${word}>` : `[${word}]`
  })
  return ['mcp', name, ...words, '[options]'].join(' ')
}

function argumentTable({ arguments: args = {} }: Command): string {
  const rows = Object.entries(args).map(([key, { doc, default: value }]) =>
    row([toKebabCase(key), doc, value]),
  )
  return rows.length > 0 ? ['| argument | | default |', '|---|---|---|', ...rows].join('\n') : ''
}

function optionTable(options: Readonly<Record<string, OptionDeclaration>>): string {
  const rows = Object.entries(options)
    .filter(([, { hidden }]) => !hidden)
    .map(([key, option]) => row([`\`${flagOf(key, option)}\``, docOf(option), defaultOf(option)]))
  return rows.length > 0 ? ['| option | | default |', '|---|---|---|', ...rows].join('\n') : ''
}

function flagOf(key: string, { type, short, value, default: preset }: OptionDeclaration): string {
  const flag = `--${type === 'boolean' && preset === true ? 'no-' : ''}${toKebabCase(key)}`
  return `${short ? `-${short}, ` : ''}${flag}${type === 'boolean' ? '' : ` <${value ?? type}>`}`
}

function docOf({ doc, choices, type }: OptionDeclaration): string {
  const of = choices ? `: ${choices.join(', ')}` : ''
  return `${doc}${of}${type === 'list' ? ' (may be repeated)' : ''}`
}

function defaultOf({ type, default: value }: OptionDeclaration): string | undefined {
  if (value === undefined || type === 'boolean') return undefined
  return type === 'duration' ? `${Number(value) / 1000}s` : String(value)
}

function row(cells: readonly (string | undefined)[]): string {
  return `| ${cells.map(cell => (cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

if (import.meta.main)
  writeFileSync(CLI_REFERENCE, await renderCliReference(readFileSync(CLI_REFERENCE, 'utf8')))
