import type { Tool } from '@modelcontextprotocol/client'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { getNamed } from '../mcp-client/get-named.ts'
import {
  type ChosenServer,
  commandForServer,
  SERVER_ARGUMENT,
  SERVER_OPTIONS,
} from '../targets/server-input.ts'
import { useServer } from '../targets/use-server.ts'
import { sampleValue } from '../testing/sample-call.ts'

export default defineCommand({
  name: 'tools',
  arguments: {
    server: SERVER_ARGUMENT,
    tool: { kind: 'tool', doc: 'show this tool with its arguments and schemas' },
  },
  options: SERVER_OPTIONS,
  examples: {
    'mcp tools weather': 'list all tools',
    'mcp tools weather forecast': 'show one tool and how to call it',
    'mcp tools weather --json': 'including schemas',
  },
  async run(context, input) {
    await useServer(context, input, async (connection, { env }) => {
      const tools = await connection.listTools()
      const chosen = { server: input.server, env }
      if (input.tool) await show(context, getNamed('tool', tools, input.tool), chosen)
      else list(context, tools, chosen)
    })
  },
})

function list({ output }: CommandContext, tools: readonly Tool[], input: ChosenServer): void {
  output.result(tools, () => {
    const rows = tools.map(tool => [tool.name, argumentsOf(tool), tool.description ?? ''])
    output.table(['TOOL', 'ARGUMENTS', 'DESCRIPTION'], rows, `${input.server} has no tools.`)
    const [first] = tools
    if (first) output.next({ description: 'Call a tool', command: exampleCall(input, first) })
  })
}

async function show({ output }: CommandContext, tool: Tool, input: ChosenServer): Promise<void> {
  const { argumentTable } = await import('../output/tables/argument-table.ts')
  output.result(tool, () => {
    output.line(output.style.bold(tool.name))
    if (tool.description) output.line(tool.description)
    output.line()
    const { headers, rows } = argumentTable(tool.inputSchema)
    output.table(headers, rows, 'No arguments.')
    output.next({ description: 'Call it', command: exampleCall(input, tool) })
  })
}

/** A call with all required arguments. Values are from the schema if possible, and `…` stands for other texts. */
function exampleCall(input: ChosenServer, tool: Tool): string {
  const words = Object.entries(propertiesOf(tool))
    .filter(([key]) => isRequired(tool, key))
    .map(([key, schema]) => exampleArgument(key, schema))
  return commandForServer('call', input, quoteShellWord(tool.name), ...words)
}

type PropertySchema = Parameters<typeof sampleValue>[0] & { description?: string }

function exampleArgument(key: string, schema: PropertySchema): string {
  const { value, madeUp } = sampleValue(schema)
  if (typeof value === 'object') return quoteShellWord(`${key}:=${JSON.stringify(value)}`)
  return `${quoteShellWord(key)}=${madeUp && typeof value === 'string' ? '…' : quoteShellWord(String(value))}`
}

/** `city, [units]` */
function argumentsOf(tool: Tool): string {
  return Object.keys(propertiesOf(tool))
    .map(key => (isRequired(tool, key) ? key : `[${key}]`))
    .join(', ')
}

function propertiesOf({ inputSchema }: Tool): Record<string, PropertySchema> {
  return (inputSchema.properties ?? {}) as Record<string, PropertySchema>
}

function isRequired({ inputSchema }: Tool, key: string): boolean {
  return Array.isArray(inputSchema.required) && inputSchema.required.includes(key)
}
