import { wrapCommand, wrapText } from '../output/wrap.ts'
import { type CommandEntry, groupOf } from './command-list.ts'
import { flagOf } from './declaration.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'

const COLUMNS = 80
const NAME_COLUMN = 12

/** Commands on the first page, in the order in which a new user needs them. */
const COMMON = [
  'init',
  'up',
  'dev',
  'test',
  'deploy',
  'connect',
  'tools',
  'call',
  'list',
  'status',
  'logs',
  'rollback',
]

/** Page of `mcp` and `mcp --help`. Fits a terminal with 24 lines. */
export function formatHelp(commands: readonly CommandEntry[], columns = COLUMNS): string {
  const shown = commands.filter(({ hidden }) => !hidden)
  const common = COMMON.flatMap(name => shown.filter(entry => entry.name === name))
  const names = [...new Set(shown.map(entry => groupOf(entry) ?? entry.name))]
  const others = names.filter(name => !COMMON.includes(name)).join(', ')
  return `${wrapText('mcp builds, deploys and hosts MCP servers.', columns).join('\n')}
Usage: mcp <command> [options]

${common.map(({ name, summary }) => row(name, summary, columns)).join('\n')}

${wrapText(`Also: ${others}`, columns, { indent: 'Also: '.length }).join('\n')}
${startLine(columns)}
${wrapText('Help:  mcp <command> --help, mcp help all', columns, { indent: 'Help:  '.length }).join('\n')}
`
}

function startLine(columns: number): string {
  const command = 'mcp init weather --example weather'
  const line = `Start: ${command}`
  return line.length <= columns ? line : `Start:\n${wrapCommand(command, columns)}`
}

/** Page of `mcp help all`: a row per command with its summary, or per group with its subcommands. */
export function formatFullHelp(commands: readonly CommandEntry[], columns = COLUMNS): string {
  const shown = commands.filter(({ hidden }) => !hidden)
  const titles = [...new Set(shown.map(({ section }) => section))]
  const sections = titles.map(section => {
    const rows = rowsOf(
      shown.filter(entry => entry.section === section),
      columns,
    )
    return [`${section}:`, ...rows].join('\n')
  })
  return `Usage: mcp <command> [options]

${sections.join('\n\n')}

Global options:
${globalRows(columns).join('\n')}
  ${'--version'.padEnd(22)}  show the version of mcp (-v, -V)

Help for a command: mcp <command> --help
`
}

/** Page of `mcp keys --help`. */
export function formatGroupHelp(commands: readonly CommandEntry[], group: string, columns = COLUMNS): string {
  const entries = commands.filter(entry => groupOf(entry) === group)
  const width = Math.max(...entries.map(({ name }) => name.length))
  const rows = entries.map(entry => row(entry.name, entry.summary, columns, width))
  return `Usage: mcp ${group} <command> [options]

${rows.join('\n')}

Help: mcp ${group} <command> --help
`
}

function rowsOf(entries: readonly CommandEntry[], columns: number): string[] {
  const rows = new Map<string, string>()
  for (const entry of entries) {
    const group = groupOf(entry)
    if (group === undefined) rows.set(entry.name, entry.summary)
    else rows.set(group, [rows.get(group), entry.name.slice(group.length + 1)].filter(Boolean).join(', '))
  }
  return [...rows].map(([name, text]) => row(name, text, columns))
}

function globalRows(columns: number): string[] {
  return Object.entries(GLOBAL_OPTIONS).map(([key, option]) => {
    const short = 'short' in option ? `-${option.short}, ` : ''
    const value = 'value' in option ? ` <${option.value}>` : ''
    return row(`${short}${flagOf(key, option)}${value}`, option.doc, columns, 22)
  })
}

/** Formats a row of a help page. A long text is wrapped next to the name. */
function row(name: string, text: string, columns: number, width = NAME_COLUMN): string {
  return wrapText(`  ${name.padEnd(width)}  ${text}`, columns, { indent: width + 2 }).join('\n')
}
