import type { GetPromptResult } from '@modelcontextprotocol/client'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { getNamed } from '../mcp-client/get-named.ts'
import { contentToText } from '../output/content.ts'
import { completeArguments } from '../pickers/complete-arguments.ts'
import { commandForServer, SERVER_ARGUMENT, SERVER_OPTIONS } from '../targets/server-input.ts'
import { useServer } from '../targets/use-server.ts'
import { parseToolArguments, promptSchema } from '../testing/tool-arguments.ts'

export default defineCommand({
  name: 'prompt',
  arguments: {
    server: SERVER_ARGUMENT,
    prompt: { kind: 'prompt', doc: 'name of the prompt', required: true },
    values: { kind: 'prompt arguments', doc: 'key=value, a JSON object, @file or -', variadic: true },
  },
  options: SERVER_OPTIONS,
  examples: {
    'mcp prompt weather plan_a_day city=Oslo': 'print its messages',
    'mcp prompt weather plan_a_day city=Oslo --json': 'print the MCP result',
  },
  async run(context, input) {
    const result = await useServer(
      context,
      input,
      async (connection, { env }) => {
        const prompt = getNamed('prompt', await connection.listPrompts(), input.prompt)
        const inputSchema = promptSchema(prompt)
        const given = parseToolArguments(input.values, inputSchema)
        const help = commandForServer('prompts', { ...input, env })
        const values = await completeArguments(context, { name: prompt.name, inputSchema, help }, given)
        return connection.getPrompt(prompt.name, asTexts(values))
      },
      { acts: true },
    )
    context.output.result(result, () => print(context, result))
  },
})

function asTexts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}

function print({ output }: CommandContext, { messages }: GetPromptResult): void {
  for (const { role, content } of messages)
    output.line(`${output.style.bold(role)}: ${contentToText([content])}`)
}
