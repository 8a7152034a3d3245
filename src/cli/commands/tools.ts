import type { Tool } from '@modelcontextprotocol/client'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { sampleValue } from '../sample-call.ts'
import { SERVER_ARGUMENT, SERVER_OPTIONS, type ServerTarget, useServer } from '../server-target.ts'
import { shellWord } from '../shell-word.ts'

export default defineCommand({
  name: 'tools',
  summary: 'list the tools of a server, or show one',
  arguments: {
    server: SERVER_ARGUMENT,
    tool: { doc: 'show this one with its arguments and schemas' },
  },
  options: SERVER_OPTIONS,
  examples: [
    { command: 'mcp tools weather', does: 'all of them' },
    { command: 'mcp tools weather forecast', does: 'one, and how to call it' },
    { command: 'mcp tools weather --json', does: 'with their schemas' },
  ],
  async run(context, input) {
    const { getTool, listTools } = await import('../mcp-client.ts')
    await useServer(context, input, async (connection, target) => {
      const tools = await listTools(connection)
      if (input.tool) show(context, getTool(tools, input.tool), target)
      else list(context, tools, target)
    })
  },
})

function list({ output }: CommandContext, tools: readonly Tool[], { name }: ServerTarget): void {
  output.result(tools, () => {
    const rows = tools.map(tool => [tool.name, argumentsOf(tool), tool.description ?? ''])
    output.table(['TOOL', 'ARGUMENTS', 'DESCRIPTION'], rows, `${name} has no tools.`)
    const [first] = tools
    if (first) output.next({ description: 'Call one', command: exampleCall(name, first) })
  })
}

function show({ output }: CommandContext, tool: Tool, { name }: ServerTarget): void {
  output.result(tool, () => {
    output.line(output.style.bold(tool.name))
    if (tool.description) output.line(tool.description)
    output.line()
    const rows = Object.entries(propertiesOf(tool)).map(([key, schema]) => [
      key,
      typeOf(schema),
      isRequired(tool, key) ? 'required' : '',
      schema.description ?? '',
    ])
    output.table(['ARGUMENT', 'TYPE', '', 'DESCRIPTION'], rows, 'It takes no arguments.')
    output.next({ description: 'Call it', command: exampleCall(name, tool) })
  })
}

/** A call that fits the schema: the arguments that are required, each with a value it allows. */
function exampleCall(server: string, tool: Tool): string {
  const words = Object.entries(propertiesOf(tool))
    .filter(([key]) => isRequired(tool, key))
    .map(([key, schema]) => exampleArgument(key, schema))
  return ['mcp call', shellWord(server), shellWord(tool.name), ...words].join(' ')
}

type PropertySchema = Parameters<typeof sampleValue>[0] & { description?: string }

function exampleArgument(key: string, schema: PropertySchema): string {
  const { value, madeUp } = sampleValue(schema)
  if (typeof value === 'object') return shellWord(`${key}:=${JSON.stringify(value)}`)
  return `${shellWord(key)}=${madeUp && typeof value === 'string' ? '…' : shellWord(String(value))}`
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

function typeOf({ type, enum: choices }: PropertySchema): string {
  if (choices && choices.length <= 4) return choices.join(' | ')
  return choices ? `one of ${choices.length}` : [type ?? 'any'].flat().join(' or ')
}
