import { type CommandEntry, groupOf } from './command-list.ts'
import { flagOf } from './declaration.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'

/** Page of `mcp --help`: every command with its summary, one line per group. */
export function formatHelp(commands: readonly CommandEntry[]): string {
  const shown = commands.filter(({ hidden }) => !hidden)
  const titles = [...new Set(shown.map(({ section }) => section))]
  const sections = titles.map(section => {
    const rows = rowsOf(shown.filter(entry => entry.section === section))
    return [`${section}:`, ...rows].join('\n')
  })
  return `mcp builds, deploys and hosts MCP servers.

Usage: mcp <command> [options]

${sections.join('\n\n')}

Options of every command:
${globalRows().join('\n')}

Start:  mcp init weather --example weather
More:   mcp <command> --help
`
}

/** Page of `mcp keys --help`. */
export function formatGroupHelp(commands: readonly CommandEntry[], group: string): string {
  const rows = commands.filter(entry => groupOf(entry) === group).map(entry => row(entry.name, entry.summary))
  return `Usage: mcp ${group} <command> [options]

${rows.join('\n')}

More:  mcp ${group} <command> --help
`
}

function rowsOf(entries: readonly CommandEntry[]): string[] {
  const rows = new Map<string, string>()
  for (const entry of entries) {
    const group = groupOf(entry)
    if (group === undefined) rows.set(entry.name, entry.summary)
    else rows.set(group, [rows.get(group), entry.name.slice(group.length + 1)].filter(Boolean).join(', '))
  }
  return [...rows].map(([name, text]) => row(name, wrap(text)))
}

function globalRows(): string[] {
  return Object.entries(GLOBAL_OPTIONS).map(([key, option]) => {
    const short = 'short' in option ? `-${option.short}, ` : ''
    const value = 'value' in option ? ` <${option.value}>` : ''
    return row(`${short}${flagOf(key, option)}${value}`, option.doc, 22)
  })
}

/** Wraps at 80 columns, aligned with the text of the row. */
function wrap(text: string): string {
  const [first = '', ...rest] = text.match(/.{1,63}(?:\s|$)/g) ?? []
  return [first, ...rest.map(line => `${' '.repeat(16)}${line}`)].map(line => line.trimEnd()).join('\n')
}

function row(name: string, text: string, width = 12): string {
  return `  ${name.padEnd(width)}  ${text}`
}
